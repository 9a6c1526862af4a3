//! `window` and `on_close` of `[schedule]`: the hours in which shards may start.

use toml::Spanned;

use crate::config::document::problem::Problem;
use crate::config::document::table::Table;
use crate::model::hours::opening_hours::{OpeningHours, Window};
use crate::model::hours::start_hours::{OnClose, StartHours};

/// Reads the keys `window` and `on_close`.
pub(in crate::config) fn read_start_hours(table: &Table<'_>) -> StartHours {
    let written = table.one_or_more_texts("window");
    let windows: Vec<Window> = written.iter().filter_map(|text| parse_window(table, text)).collect();
    let on_close = table.get_choice("on_close", &[("finish", OnClose::Finish), ("pause", OnClose::Pause)]);
    if let (Some(_), Some(value), true) = (on_close, table.get("on_close"), written.is_empty()) {
        let problem = Problem::new(value.span(), "`on_close` needs `window`");
        table.sink().add(problem.with_hint("say when shards may start, such as window = \"20:00-08:00\""));
    }
    StartHours {
        window: (!windows.is_empty()).then_some(OpeningHours(windows)),
        on_close: on_close.unwrap_or_default(),
    }
}

fn parse_window(table: &Table<'_>, text: &Spanned<String>) -> Option<Window> {
    text.get_ref()
        .parse()
        .map_err(|error| {
            let problem = Problem::new(text.span(), format!("`window`: {error}"));
            table
                .sink()
                .add(problem.with_hint("write \"20:00-08:00\", or \"Mon-Fri 20:00-08:00\" in an array"));
        })
        .ok()
}
