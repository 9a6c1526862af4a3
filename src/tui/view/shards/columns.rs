//! The list of columns: which are shown, and which sorts the rows.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::table_title::sort_arrow;
use crate::model::logs::printable::pad_to_width;
use crate::tui::layout::layout_areas;
use crate::tui::model::screen::Model;
use crate::tui::model::shards::columns::{all_columns, place_columns};
use crate::tui::model::shards::rows::visible_lines;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::overlays::overlay::{self, Pieces};

/// Cells for the name of a column.
const NAMES: usize = 24;

/// Draws the list of columns from which the user chooses.
pub fn draw_columns(model: &Model, chosen: usize, theme: &Theme, screen: Rect, buffer: &mut Buffer) {
    let columns = all_columns(model);
    let table = layout_areas(model).table_width();
    let width = if table > 0 { table } else { screen.width.saturating_sub(4) };
    let shown = place_columns(model, width);
    let page = screen.height.saturating_sub(4);
    let mut lines: Vec<Pieces> = Vec::new();
    for (_, number) in visible_lines(chosen, columns.len(), page) {
        let column = &columns[number];
        let style = |role| {
            let style = theme.style(role);
            if number == chosen { style.patch(theme.style(Role::Cursor)) } else { style }
        };
        let (tick, about, role) = if shown.iter().any(|placed| placed.column == *column) {
            ("[x]", "", Role::Text)
        } else if model.columns.hidden.contains(&column.name()) {
            ("[ ]", "", Role::Dim)
        } else {
            ("[ ]", "no room; Space makes some", Role::Dim)
        };
        let sort = model.table.sort.as_ref().filter(|sort| sort.column == *column);
        let sorts = sort.map_or_else(String::new, |sort| format!("sorts {}", sort_arrow(sort, theme)));
        lines.push(vec![
            (format!("{} {tick} ", if number == chosen { ">" } else { " " }), style(Role::Key)),
            (pad_to_width(column.title(), NAMES), style(role)),
            (pad_to_width(&sorts, 9), style(Role::Key)),
            (pad_to_width(about, 26), style(Role::Dim)),
        ]);
    }
    overlay::draw_overlay("Columns", &lines, 0, theme, screen, buffer);
}
