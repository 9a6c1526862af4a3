//! Keys that choose rows, columns and order of the shard table.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::acting::show_refusal;
use crate::tui::layout::layout_areas;
use crate::tui::message::Request;
use crate::tui::model::overlays::overlay::Overlay;
use crate::tui::model::screen::Model;
use crate::tui::model::shards::column::ShardColumn;
use crate::tui::model::shards::columns::{self, Placed};
use crate::tui::model::shards::table::{Only, Sort};

/// Shows only these shards, or all again.
pub fn toggle_only(model: &mut Model, only: Only) {
    model.table.toggle_only(only);
    model.refresh_table();
}

/// Sorts by a column; by the same one once more, the other way round.
pub fn sort_by(model: &mut Model, column: ShardColumn) {
    model.table.sort_by(column);
    show_first(model);
}

/// Sorts by the next column that is shown.
pub fn sort_next(model: &mut Model) {
    let present = model.table.sort.take();
    model.table.sort = next(model, present);
    show_first(model);
}

/// Sorts the other way round.
pub fn sort_reverse(model: &mut Model) {
    match &mut model.table.sort {
        Some(sort) => sort.reversed = !sort.reversed,
        None => {
            return show_refusal(
                model,
                "what needs you first has no other way round; sort by a column before",
            );
        }
    }
    show_first(model);
}

/// Sorts the rows so that those that need the user come first again.
pub fn sort_usual(model: &mut Model) {
    model.table.sort = None;
    show_first(model);
}

/// An order is asked for to see what comes first in it.
fn show_first(model: &mut Model) {
    model.refresh_table();
    model.table.cursor = 0;
}

/// After the last column the default order returns.
fn next(model: &Model, present: Option<Sort>) -> Option<Sort> {
    let shown = shown_columns(model);
    let at = present.and_then(|sort| shown.iter().position(|column| *column == sort.column));
    let next = shown.into_iter().nth(at.map_or(0, |at| at + 1));
    next.map(|column| Sort { column, reversed: false })
}

/// The columns that the table shows at its present width.
fn shown_columns(model: &Model) -> Vec<ShardColumn> {
    let width = layout_areas(model).table_width();
    // Where another view is shown, the table will have about the whole width.
    let placed =
        columns::place_columns(model, if width > 0 { width } else { model.size.0.saturating_sub(4) });
    placed.into_iter().map(|Placed { column, .. }| column).collect()
}

/// Opens the list of columns, on the one that sorts the rows.
pub fn open_columns(model: &Model) -> Overlay {
    let sorted = model.table.sort.as_ref().map(|sort| &sort.column);
    let chosen = columns::all_columns(model).iter().position(|column| Some(column) == sorted);
    Overlay::Columns { chosen: chosen.unwrap_or(0) }
}

/// Takes a key while the list of columns is open.
pub fn handle_key(model: &mut Model, event: KeyEvent, chosen: usize) -> Vec<Request> {
    let all = columns::all_columns(model);
    let last = all.len().saturating_sub(1);
    if event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
        return Vec::new();
    }
    let chosen = match event.code {
        KeyCode::Up | KeyCode::Char('k') => chosen.saturating_sub(1),
        KeyCode::Down | KeyCode::Char('j') => (chosen + 1).min(last),
        KeyCode::Home | KeyCode::Char('g') => 0,
        KeyCode::End | KeyCode::Char('G') => last,
        KeyCode::Char(' ') => {
            let Some(column) = all.get(chosen) else { return Vec::new() };
            let is_shown = shown_columns(model).contains(column);
            model.columns.toggle(column, is_shown);
            return vec![Request::KeepColumns(model.columns.clone())];
        }
        KeyCode::Enter | KeyCode::Char('O') => {
            if let Some(column) = all.into_iter().nth(chosen) {
                sort_by(model, column);
            }
            chosen
        }
        KeyCode::Char('I') => {
            sort_reverse(model);
            chosen
        }
        KeyCode::Backspace => {
            sort_usual(model);
            chosen
        }
        KeyCode::Esc | KeyCode::Char('c' | 'q') => {
            model.overlay = Overlay::None;
            return Vec::new();
        }
        _ => chosen,
    };
    model.overlay = Overlay::Columns { chosen };
    Vec::new()
}
