//! Two axes of the sweep against each other as a heat map: state, progress and success of each cell.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::matrix_cell::{Drawn, text_padding};
use super::panes::pane;
use super::panes::text::{TextWriter, text_width};
use super::shards::table::draw_cursor;
use crate::tui::keymap::action::Action;
use crate::tui::keymap::table::BINDINGS;
use crate::tui::model::hardware::heat::{CellRank, HeatMap};
use crate::tui::model::matrix::{MatrixCell, MatrixView};
use crate::tui::model::matrix_field::MatrixLayout;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws it with its frame.
pub fn draw_matrix(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let matrix = MatrixView::from_model(model);
    let focused = model.focus == Pane::Shards;
    let place = model.table.selected_position().and_then(|selected| matrix.locate_shard(selected));
    let field = MatrixLayout::for_matrix(&matrix, pane::inner_area(area), place.unwrap_or((0, 0)));
    let heat = HeatMap::for_matrix(model, &matrix);
    let room = area.width.saturating_sub(16);
    let notes = title_notes(model, &matrix, (&field, &heat), theme, room);
    let inner = pane::draw_pane("Matrix", notes, focused, theme, area, buffer);
    if matrix.rows.is_empty() {
        let why = if model.state.shards.is_empty() { "no shards yet" } else { "no shard passes the filter" };
        TextWriter::new(buffer, inner, 0).put(why, theme.style(Role::Dim));
        return;
    }
    draw_headings(&matrix, &field, theme, inner, buffer);
    // A sum is shaded like a cell, and is neither best nor worst.
    let sums = (&heat, None);
    let shown = (field.first_row..matrix.rows.len()).take(field.rows);
    for (line, row) in shown.enumerate() {
        draw_name(&matrix.rows[row], &field, line, theme.style(Role::Strong), theme, inner, buffer);
        for (at, column) in (field.first_column..matrix.columns.len()).take(field.columns).enumerate() {
            let area = field.cell_area(line, at, inner);
            let shards = matrix.cell(row, column).iter().copied();
            draw_cell(model, shards, (&heat, heat.cell_rank((row, column))), theme, area, buffer);
            if place == Some((row, column)) {
                (area.top()..area.bottom())
                    .for_each(|y| draw_cursor(theme, Rect { y, height: 1, ..area }, buffer));
            }
        }
        if field.sums_rows {
            draw_cell(
                model,
                matrix.row_shards(row),
                sums,
                theme,
                field.cell_area(line, field.columns, inner),
                buffer,
            );
        }
    }
    if field.sums_columns {
        let line = field.rows.min(matrix.rows.len() - field.first_row);
        draw_name(SUM, &field, line, theme.style(Role::Title), theme, inner, buffer);
        for (at, column) in (field.first_column..matrix.columns.len()).take(field.columns).enumerate() {
            draw_cell(
                model,
                matrix.column_shards(column),
                sums,
                theme,
                field.cell_area(line, at, inner),
                buffer,
            );
        }
        if field.sums_rows {
            let area = field.cell_area(line, field.columns, inner);
            if let Some(all) = MatrixCell::of_all(model, &matrix) {
                Drawn { cell: &all, ground: heat.cell_ground(&all), rank: None, theme }.draw(area, buffer);
            }
        }
    }
}

/// Heading of the sums.
const SUM: &str = "all";

fn draw_name(
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
    TextWriter::new(buffer, area, 0).put_field(text, field.names - 1, style, theme.glyphs.ellipsis);
}

/// Draws the combined result of some shards.
fn draw_cell(
    model: &Model,
    shards: impl Iterator<Item = usize> + Clone,
    (heat, rank): (&HeatMap, Option<CellRank>),
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    if let Some(cell) = MatrixCell::from_readings(shards.filter_map(|position| model.reading(position))) {
        Drawn { cell: &cell, ground: heat.cell_ground(&cell), rank, theme }.draw(area, buffer);
    }
}

/// Returns which axes are shown, what is pooled and hidden, and what the grounds mean; with the keys that change it
/// where there is room for them.
fn title_notes<'a>(
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
    let fitting = [keys, texts].into_iter().find(|text| text_width(text) <= room).unwrap_or(axes);
    let mut notes = vec![Span::styled(fitting, dim)];
    let (shown, all) = (model.table.visible.len(), model.state.shards.len());
    if shown < all {
        notes.push(Span::styled(format!("{dot}{shown} of {all} shards"), theme.style(Role::Warning)));
    }
    notes
}

/// ` (a)`: the key of an action; empty if the user took it away.
fn key_of(model: &Model, action: Action) -> String {
    let binding = BINDINGS.iter().find(|binding| binding.action == action);
    let key = binding.and_then(|binding| binding.first_key(&model.keymap));
    key.map(|key| format!(" ({key})")).unwrap_or_default()
}

fn draw_headings(
    matrix: &MatrixView<'_>,
    field: &MatrixLayout,
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let mut writer = TextWriter::new(buffer, area, 0);
    let (dim, strong) = (theme.style(Role::Dim), theme.style(Role::Strong));
    writer.put_field(matrix.row_axis.unwrap_or_default(), field.names, dim, theme.glyphs.ellipsis);
    for column in matrix.columns.iter().skip(field.first_column).take(field.columns) {
        let pad = text_padding(field.width - 1);
        writer.skip(pad).put_field(column, field.width - 1 - pad, strong, theme.glyphs.ellipsis).skip(1);
    }
    if field.sums_rows {
        let place = field.cell_area(0, field.columns, area);
        let place = Rect { y: area.y, height: 1, ..place }.intersection(area);
        let pad = text_padding(place.width);
        let room = place.width.saturating_sub(pad);
        TextWriter::new(buffer, place, 0).skip(pad).put_field(
            SUM,
            room,
            theme.style(Role::Title),
            theme.glyphs.ellipsis,
        );
    }
}
