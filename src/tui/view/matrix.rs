//! Two axes of the sweep against each other as a heat map: state, progress and success of each cell.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::matrix_cell::{Drawn, pad};
use super::panes::pane;
use super::panes::text::{TextWriter, width};
use super::shards::table::cursor;
use crate::tui::keymap::action::Action;
use crate::tui::keymap::table::BINDINGS;
use crate::tui::model::hardware::heat::{CellRank, HeatMap};
use crate::tui::model::matrix::{MatrixCell, MatrixView};
use crate::tui::model::matrix_field::MatrixLayout;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws it with its frame.
pub fn draw(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let matrix = MatrixView::of(model);
    let focused = model.focus == Pane::Shards;
    let place = model.table.selected().and_then(|selected| matrix.place(selected));
    let field = MatrixLayout::of(&matrix, pane::inside(area), place.unwrap_or((0, 0)));
    let heat = HeatMap::of(model, &matrix);
    let room = area.width.saturating_sub(16);
    let notes = notes(model, &matrix, (&field, &heat), theme, room);
    let inner = pane::draw("Matrix", notes, focused, theme, area, buffer);
    if matrix.rows.is_empty() {
        let why = if model.state.shards.is_empty() { "no shards yet" } else { "no shard passes the filter" };
        TextWriter::new(buffer, inner, 0).put(why, theme.style(Role::Dim));
        return;
    }
    headings(&matrix, &field, theme, inner, buffer);
    // A sum is shaded like a cell, and is neither best nor worst.
    let sums = (&heat, None);
    let shown = (field.first_row..matrix.rows.len()).take(field.rows);
    for (line, row) in shown.enumerate() {
        name(&matrix.rows[row], &field, line, theme.style(Role::Strong), theme, inner, buffer);
        for (at, column) in (field.first_column..matrix.columns.len()).take(field.columns).enumerate() {
            let area = field.cell(line, at, inner);
            let shards = matrix.cell(row, column).iter().copied();
            cell(model, shards, (&heat, heat.rank((row, column))), theme, area, buffer);
            if place == Some((row, column)) {
                (area.top()..area.bottom())
                    .for_each(|y| cursor(theme, Rect { y, height: 1, ..area }, buffer));
            }
        }
        if field.sums_rows {
            cell(model, matrix.row(row), sums, theme, field.cell(line, field.columns, inner), buffer);
        }
    }
    if field.sums_columns {
        let line = field.rows.min(matrix.rows.len() - field.first_row);
        name(SUM, &field, line, theme.style(Role::Title), theme, inner, buffer);
        for (at, column) in (field.first_column..matrix.columns.len()).take(field.columns).enumerate() {
            cell(model, matrix.column(column), sums, theme, field.cell(line, at, inner), buffer);
        }
        if field.sums_rows {
            let area = field.cell(line, field.columns, inner);
            if let Some(all) = MatrixCell::of_all(model, &matrix) {
                Drawn { cell: &all, ground: heat.ground(&all), rank: None, theme }.draw(area, buffer);
            }
        }
    }
}

/// Heading of the sums.
const SUM: &str = "all";

fn name(
    text: &str,
    field: &MatrixLayout,
    line: usize,
    style: Style,
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let y = area.y + 1 + line as u16 * field.height;
    let area = Rect { y, width: field.names, height: 1, ..area };
    TextWriter::new(buffer, area, 0).field(text, field.names - 1, style, theme.glyphs.ellipsis);
}

/// Draws the combined result of some shards.
fn cell(
    model: &Model,
    shards: impl Iterator<Item = usize> + Clone,
    (heat, rank): (&HeatMap, Option<CellRank>),
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    if let Some(cell) = MatrixCell::of(shards.filter_map(|position| model.reading(position))) {
        Drawn { cell: &cell, ground: heat.ground(&cell), rank, theme }.draw(area, buffer);
    }
}

/// Returns which axes are shown, what is pooled and hidden, and what the grounds mean; with the keys that change it
/// where there is room for them.
fn notes<'a>(
    model: &Model,
    matrix: &MatrixView<'_>,
    (field, heat): (&MatrixLayout, &HeatMap),
    theme: &Theme,
    room: u16,
) -> Vec<Span<'a>> {
    let dim = theme.style(Role::Dim);
    let dot = format!(" {} ", theme.glyphs.dot);
    let mut texts = Vec::new();
    let part = |first: usize, count: usize, all: usize| {
        if count >= all {
            String::new()
        } else {
            format!(" {}-{} of {all}", first + 1, (first + count).min(all))
        }
    };
    let rows = part(field.first_row, field.rows, matrix.rows.len());
    let columns = part(field.first_column, field.columns, matrix.columns.len());
    texts.extend(matrix.row_axis.map(|axis| format!("rows {axis}{rows}")));
    texts.extend(matrix.column_axis.map(|axis| format!("columns {axis}{columns}")));
    if !matrix.pooled.is_empty() {
        texts.push(format!("over all {}", matrix.pooled.join(", ")));
    }
    let mut keys = texts.clone();
    for (text, action) in keys.iter_mut().zip([Action::Another, Action::AnotherColumn]) {
        text.push_str(&key_of(model, action));
    }
    keys.push(format!("shaded by {}{}", heat.shade.as_str(), key_of(model, Action::Shade)));
    texts.push(format!("shaded by {}", heat.shade.as_str()));
    let axes = texts[..texts.len() - 1].join(&dot);
    let (keys, texts) = (keys.join(&dot), texts.join(&dot));
    let fitting = [keys, texts].into_iter().find(|text| width(text) <= room).unwrap_or(axes);
    let mut notes = vec![Span::styled(fitting, dim)];
    let (shown, all) = (model.table.visible.len(), model.state.shards.len());
    if shown < all {
        notes.push(Span::styled(format!("{dot}{shown} of {all} shards"), theme.style(Role::Warning)));
    }
    notes
}

/// ` (a)`: the key of an action; nothing where the user took it away.
fn key_of(model: &Model, action: Action) -> String {
    let binding = BINDINGS.iter().find(|binding| binding.action == action);
    let key = binding.and_then(|binding| model.keymap.keys(binding.name, binding.keys).first());
    key.map(|key| format!(" ({key})")).unwrap_or_default()
}

fn headings(matrix: &MatrixView<'_>, field: &MatrixLayout, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let mut writer = TextWriter::new(buffer, area, 0);
    let (dim, strong) = (theme.style(Role::Dim), theme.style(Role::Strong));
    writer.field(matrix.row_axis.unwrap_or_default(), field.names, dim, theme.glyphs.ellipsis);
    for column in matrix.columns.iter().skip(field.first_column).take(field.columns) {
        let pad = pad(field.width - 1);
        writer.skip(pad).field(column, field.width - 1 - pad, strong, theme.glyphs.ellipsis).skip(1);
    }
    if field.sums_rows {
        let place = field.cell(0, field.columns, area);
        let place = Rect { y: area.y, height: 1, ..place }.intersection(area);
        let pad = pad(place.width);
        let room = place.width.saturating_sub(pad);
        TextWriter::new(buffer, place, 0).skip(pad).field(
            SUM,
            room,
            theme.style(Role::Title),
            theme.glyphs.ellipsis,
        );
    }
}
