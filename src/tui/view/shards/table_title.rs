//! Notes next to the title of the shard table: which rows are seen, and what narrows and sorts them.

use ratatui::style::{Modifier, Style};
use ratatui::text::Span;

use super::service;
use crate::model::state::service_state::phase_counts_text;
use crate::tui::model::overlays::overlay::{FilterTarget, Overlay};
use crate::tui::model::screen::Model;
use crate::tui::model::shards::filter::Filter;
use crate::tui::model::shards::table::{Only, ShardTable, Sort};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Returns the notes next to the title: which rows are seen, and what narrows and sorts them.
pub(super) fn title_notes(model: &Model, page: usize, theme: &Theme) -> Vec<Span<'static>> {
    let table = &model.table;
    let mut notes = Vec::new();
    let (shown, all) = (table.visible.len(), model.state.shards.len());
    let is_narrowed = table.only != Only::Everything || !table.filter.is_empty();
    let of_all = if is_narrowed { format!("{shown} of {all}") } else { all.to_string() };
    let role = if is_narrowed { Role::Strong } else { Role::Dim };
    match seen_rows(table, page) {
        Some(seen) if is_narrowed => {
            notes.push(Span::styled(format!("{seen}, {all} in all"), theme.style(Role::Strong)));
        }
        Some(seen) => notes.push(Span::styled(seen, theme.style(Role::Strong))),
        None if all > 0 => notes.push(Span::styled(of_all, theme.style(role))),
        None => {}
    }
    if let Some(services) = phase_counts_text(&model.state.services) {
        notes.push(Span::styled(format!(" services: {services}"), theme.style(service::role_of_all(model))));
    }
    match table.only {
        Only::Everything => {}
        Only::Failed => notes.push(Span::styled(" failed only", theme.style(Role::Warning))),
        Only::Unfinished => notes.push(Span::styled(" unfinished only", theme.style(Role::Warning))),
    }
    let is_typed = matches!(model.overlay, Overlay::Filter { list: FilterTarget::Shards, .. });
    notes.extend(filter_note(&table.filter, is_typed, theme));
    if let Some(sort) = &table.sort {
        let way = sort_arrow(sort, theme);
        notes.push(Span::styled(format!(" by {} {way}", sort.column.title()), theme.style(Role::Key)));
    }
    if !table.marked.is_empty() {
        notes.push(Span::styled(format!(" {} marked", table.marked.len()), theme.style(Role::Marked)));
    }
    notes
}

/// `13-24 of 300`, where not all rows are seen.
pub(in crate::tui::view) fn seen_rows(table: &ShardTable, page: usize) -> Option<String> {
    let shown = table.rows.len();
    let last = (table.offset + page).min(shown);
    (shown > page && page > 0).then(|| format!("{}-{last} of {shown}", table.offset + 1))
}

/// Returns the text of a filter for the title of its list, while it is typed and afterwards.
pub(in crate::tui::view) fn filter_note(
    filter: &Filter,
    is_typed: bool,
    theme: &Theme,
) -> Vec<Span<'static>> {
    let text = format!(" /{}", filter.text());
    if is_typed {
        let cursor = Span::styled(" ", Style::new().add_modifier(Modifier::REVERSED));
        vec![Span::styled(text, theme.style(Role::Key)), cursor]
    } else if filter.is_empty() {
        Vec::new()
    } else {
        vec![Span::styled(text, theme.style(Role::Warning))]
    }
}

/// Returns the arrow for the order of the rows: down from the largest, or up from the smallest.
pub(in crate::tui::view) fn sort_arrow(sort: &Sort, theme: &Theme) -> &'static str {
    match (theme.glyphs.braille, sort.column.begins_with_largest() != sort.reversed) {
        (true, true) => "↓",
        (true, false) => "↑",
        (false, true) => "v",
        (false, false) => "^",
    }
}
