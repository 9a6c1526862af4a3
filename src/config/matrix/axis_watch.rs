//! `watch` of a glob axis: files that come while the run lasts become values of it.

use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::config::document::problem::Problem;
use crate::config::document::table::{Sink, Table};
use crate::model::sweep::expansion::AxisWatch;

/// Long enough for the pauses of a program that writes a large file over a network.
const SETTLE: Duration = Duration::from_secs(10);

/// The watched axes of a sweep; their errors are reported when the sweep is read.
pub fn parse_watches(source: &str) -> Vec<AxisWatch> {
    let (document, _) = DeTable::parse_recoverable(source);
    let sink = Sink::default();
    read_watches(&Table::root(&document, &sink))
}

/// Whether the value of an axis asks for it.
pub(in crate::config) fn is_watched(value: &Spanned<DeValue<'_>>) -> bool {
    let watch = value.get_ref().as_table().and_then(|table| table.get("watch"));
    watch.is_some_and(|watch| watch.get_ref().as_bool() != Some(false))
}

/// The watched axes of `[matrix]`.
pub(in crate::config) fn read_watches(root: &Table<'_>) -> Vec<AxisWatch> {
    let matrix = root.get_table("matrix");
    let keeps_folder = root.get_table("shard").get("cwd").is_none();
    let names = matrix.entries().into_iter().filter(|(.., value)| is_watched(value));
    names.filter_map(|(name, ..)| read_watch(name, &matrix.named_table(name)?, keeps_folder)).collect()
}

fn read_watch(name: &str, axis: &Table<'_>, keeps_folder: bool) -> Option<AxisWatch> {
    let watch = axis.get("watch")?;
    let (until, idle, settle) = match watch.get_ref() {
        DeValue::Boolean(_) => (None, None, None),
        DeValue::Table(_) => {
            let table = axis.get_table("watch");
            let read = (table.get_string("until"), table.get_duration("idle"), table.get_duration("settle"));
            table.report_unknown_keys();
            read
        }
        _other => {
            let hint = "write `watch = true`, or `watch = { until = \"ckpts/done\", idle = \"2h\" }`";
            let message = format!("`watch` of `{name}` must be true or a table");
            axis.sink().add(Problem::new(watch.span(), message).with_hint(hint));
            return None;
        }
    };
    let Some(pattern) = axis.get("glob").and_then(|pattern| pattern.get_ref().as_str()) else {
        let message = format!("`watch` of `{name}` needs a glob: only files can come by themselves");
        let hint = "such as `{ glob = \"ckpts/*.pt\", watch = true }`";
        axis.sink().add(Problem::new(watch.span(), message).with_hint(hint));
        return None;
    };
    Some(AxisWatch {
        axis: name.to_owned(),
        pattern: pattern.to_owned(),
        until: until.map(Spanned::into_inner),
        idle,
        settle: settle.unwrap_or(SETTLE),
        keeps_folder,
    })
}
