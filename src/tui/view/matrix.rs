//! Two axes of the sweep against each other: state, progress and success of each cell.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::bar;
use super::pane;
use super::table::cursor;
use super::text::{Writer, width};
use crate::model::phase::PhaseKind;
use crate::tui::format;
use crate::tui::model::matrix::{Cell, Matrix};
use crate::tui::model::screen::{Model, Pane};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Cells of the screen for one cell of the matrix: below that a rate with its interval does not fit.
const NARROWEST: u16 = 15;

/// A wider cell would only hold more air.
const WIDEST: u16 = 36;

/// Draws it with its frame.
pub fn draw(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let matrix = Matrix::of(model);
    let focused = model.focus == Pane::Shards;
    let inner = pane::draw("Matrix", notes(model, &matrix, theme), focused, theme, area, buffer);
    if matrix.rows.is_empty() {
        let why = if model.state.shards.is_empty() { "no shards yet" } else { "no shard passes the filter" };
        Writer::new(buffer, inner, 0).put(why, theme.style(Role::Dim));
        return;
    }
    let place = model.table.selected().and_then(|selected| matrix.place(selected));
    let (row, column) = place.unwrap_or((0, 0));
    let field = Field::of(&matrix, inner, (row, column));
    headings(&matrix, &field, theme, inner, buffer);
    for (line, row) in (field.first_row..matrix.rows.len()).take(field.rows).enumerate() {
        let y = inner.y + 1 + line as u16 * field.height;
        let name = Rect { y, width: field.names, height: 1, ..inner };
        let text = &matrix.rows[row];
        Writer::new(buffer, name, 0).field(
            text,
            field.names - 1,
            theme.style(Role::Strong),
            theme.glyphs.ellipsis,
        );
        for (at, column) in (field.first_column..matrix.columns.len()).take(field.columns).enumerate() {
            let x = inner.x + field.names + at as u16 * field.width;
            let height = field.height.min(2);
            let area = Rect { x, y, width: field.width - 1, height }.intersection(inner);
            let readings = matrix.cell(row, column).iter().filter_map(|position| model.reading(*position));
            if let Some(cell) = Cell::of(readings) {
                Drawn { cell: &cell, theme }.draw(area, buffer);
            }
            if place == Some((row, column)) {
                (area.top()..area.bottom())
                    .for_each(|y| cursor(theme, Rect { y, height: 1, ..area }, buffer));
            }
        }
    }
}

/// Which axes are shown, what is pooled, and what is hidden.
fn notes<'a>(model: &Model, matrix: &Matrix<'_>, theme: &Theme) -> Vec<Span<'a>> {
    let dim = theme.style(Role::Dim);
    let dot = format!(" {} ", theme.glyphs.dot);
    let mut texts = Vec::new();
    texts.extend(matrix.row_axis.map(|axis| format!("rows {axis}")));
    texts.extend(matrix.column_axis.map(|axis| format!("columns {axis}")));
    if !matrix.pooled.is_empty() {
        texts.push(format!("over all {}", matrix.pooled.join(", ")));
    }
    let mut notes = vec![Span::styled(texts.join(&dot), dim)];
    let (shown, all) = (model.table.visible.len(), model.state.shards.len());
    if shown < all {
        notes.push(Span::styled(format!("{dot}{shown} of {all} shards"), theme.style(Role::Warning)));
    }
    notes
}

/// How the matrix lies in its pane. What does not fit is shown page by page, the page with the cursor.
struct Field {
    names: u16,
    width: u16,
    height: u16,
    rows: usize,
    columns: usize,
    first_row: usize,
    first_column: usize,
}

impl Field {
    fn of(matrix: &Matrix<'_>, area: Rect, (row, column): (usize, usize)) -> Self {
        let longest = matrix.rows.iter().map(|name| width(name)).max().unwrap_or(0);
        let axis = matrix.row_axis.map_or(0, width);
        let names = (longest.max(axis) + 2).clamp(6, (area.width / 3).max(6));
        let room = area.width.saturating_sub(names);
        let columns = usize::from((room / NARROWEST).max(1)).min(matrix.columns.len());
        let width = (room / columns as u16).clamp(1, WIDEST);
        let lines = area.height.saturating_sub(1).max(1);
        // The last row needs no blank line below it.
        let fits = |height: &u16| usize::from((lines + height / 3) / height) >= matrix.rows.len();
        let height = [3, 2].into_iter().find(fits).unwrap_or(if lines >= 8 { 2 } else { 1 });
        let rows = usize::from((lines / height).max(1));
        let page = |at: usize, size: usize| at / size * size;
        Self {
            names,
            width,
            height,
            rows,
            columns,
            first_row: page(row, rows),
            first_column: page(column, columns),
        }
    }
}

fn headings(matrix: &Matrix<'_>, field: &Field, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let mut writer = Writer::new(buffer, area, 0);
    let (dim, strong) = (theme.style(Role::Dim), theme.style(Role::Strong));
    writer.field(matrix.row_axis.unwrap_or_default(), field.names, dim, theme.glyphs.ellipsis);
    for column in matrix.columns.iter().skip(field.first_column).take(field.columns) {
        writer.field(column, field.width - 1, strong, theme.glyphs.ellipsis).skip(1);
    }
}

struct Drawn<'a> {
    cell: &'a Cell,
    theme: &'a Theme,
}

impl Drawn<'_> {
    fn draw(&self, area: Rect, buffer: &mut Buffer) {
        let mut first = Writer::new(buffer, area, 0);
        let style = self.theme.style(Role::of_phase(self.cell.kind));
        self.state(style, &mut first);
        if area.height < 2 {
            let room = first.room();
            let (text, style) = self.outcome();
            if width(&text) < room {
                first.right(&text, room, style);
            }
            return;
        }
        self.bar(style, &mut first);
        let (text, style) = self.outcome();
        Writer::new(buffer, area, 1).field(&text, area.width, style, self.theme.glyphs.ellipsis);
    }

    /// The glyph with the count of what is done, or how many shards are in which state.
    fn state(&self, style: Style, writer: &mut Writer<'_>) {
        let glyphs = &self.theme.glyphs;
        if self.cell.shards == 1 {
            let glyph =
                self.cell.condition.map_or(glyphs.state(self.cell.kind), |what| glyphs.condition(what));
            let word = self.cell.condition.map_or(self.cell.kind.as_str(), |what| what.as_str());
            let text = self.cell.progress.map_or_else(|| word.to_owned(), format::count);
            writer.put(&format!("{glyph} {text} "), style);
            return;
        }
        for kind in PhaseKind::ALL {
            let count = self.cell.counts[kind as usize];
            if count > 0 {
                let text = format!("{}{count} ", glyphs.state(kind));
                writer.put(&text, self.theme.style(Role::of_phase(kind)));
            }
        }
    }

    fn bar(&self, style: Style, writer: &mut Writer<'_>) {
        let room = writer.room().min(12);
        if room >= 3 && self.cell.done > 0.0 {
            bar::segments(writer, room, &[(self.cell.done, style)], self.theme);
        }
    }

    /// The success so far, or why there is none.
    fn outcome(&self) -> (String, Style) {
        match (self.cell.failure, self.cell.success) {
            (Some(failure), None) => (failure.to_string(), self.theme.style(Role::Failed)),
            (_, Some(success)) => (format::success(&success), self.theme.style(Role::Text)),
            (None, None) => (self.theme.glyphs.unknown.to_owned(), self.theme.style(Role::Dim)),
        }
    }
}
