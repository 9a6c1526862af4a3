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
    let place = model.table.selected().and_then(|selected| matrix.place(selected));
    let field = Field::of(&matrix, pane::inside(area), place.unwrap_or((0, 0)));
    let inner = pane::draw("Matrix", notes(model, &matrix, &field, theme), focused, theme, area, buffer);
    if matrix.rows.is_empty() {
        let why = if model.state.shards.is_empty() { "no shards yet" } else { "no shard passes the filter" };
        Writer::new(buffer, inner, 0).put(why, theme.style(Role::Dim));
        return;
    }
    headings(&matrix, &field, theme, inner, buffer);
    let shown = (field.first_row..matrix.rows.len()).take(field.rows);
    for (line, row) in shown.enumerate() {
        name(&matrix.rows[row], &field, line, theme.style(Role::Strong), theme, inner, buffer);
        for (at, column) in (field.first_column..matrix.columns.len()).take(field.columns).enumerate() {
            let area = field.cell(line, at, inner);
            sum(model, matrix.cell(row, column).iter().copied(), theme, area, buffer);
            if place == Some((row, column)) {
                (area.top()..area.bottom())
                    .for_each(|y| cursor(theme, Rect { y, height: 1, ..area }, buffer));
            }
        }
        if field.sums_rows {
            sum(model, matrix.row(row), theme, field.cell(line, field.columns, inner), buffer);
        }
    }
    if field.sums_columns {
        let line = field.rows.min(matrix.rows.len() - field.first_row);
        name(SUM, &field, line, theme.style(Role::Title), theme, inner, buffer);
        for (at, column) in (field.first_column..matrix.columns.len()).take(field.columns).enumerate() {
            sum(model, matrix.column(column), theme, field.cell(line, at, inner), buffer);
        }
        if field.sums_rows {
            sum(model, matrix.shards(), theme, field.cell(line, field.columns, inner), buffer);
        }
    }
}

/// What heads the sums.
const SUM: &str = "all";

fn name(
    text: &str,
    field: &Field,
    line: usize,
    style: Style,
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let y = area.y + 1 + line as u16 * field.height;
    let area = Rect { y, width: field.names, height: 1, ..area };
    Writer::new(buffer, area, 0).field(text, field.names - 1, style, theme.glyphs.ellipsis);
}

/// What some shards come to together.
fn sum(
    model: &Model,
    shards: impl Iterator<Item = usize> + Clone,
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    if let Some(cell) = Cell::of(shards.filter_map(|position| model.reading(position))) {
        Drawn { cell: &cell, theme }.draw(area, buffer);
    }
}

/// Which axes are shown, what is pooled, and what is hidden.
fn notes<'a>(model: &Model, matrix: &Matrix<'_>, field: &Field, theme: &Theme) -> Vec<Span<'a>> {
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
    let mut notes = vec![Span::styled(texts.join(&dot), dim)];
    let (shown, all) = (model.table.visible.len(), model.state.shards.len());
    if shown < all {
        notes.push(Span::styled(format!("{dot}{shown} of {all} shards"), theme.style(Role::Warning)));
    }
    notes
}

/// How the matrix lies in its pane. What does not fit is shown page by page, the page with the cursor; the sums are over
/// all pages.
struct Field {
    names: u16,
    width: u16,
    height: u16,
    rows: usize,
    columns: usize,
    first_row: usize,
    first_column: usize,
    /// Behind the columns stand the sums of the rows.
    sums_rows: bool,
    /// Below the rows stand the sums of the columns.
    sums_columns: bool,
}

impl Field {
    fn of(matrix: &Matrix<'_>, area: Rect, (row, column): (usize, usize)) -> Self {
        let longest = matrix.rows.iter().map(|name| width(name)).max().unwrap_or(0);
        let axis = matrix.row_axis.map_or(0, width);
        let names = (longest.max(axis) + 2).clamp(6, (area.width / 3).max(6));
        let room = area.width.saturating_sub(names);
        let (wants_rows, wants_columns) = matrix.margins();
        // The sums may not take the place of the last column or row that could be seen.
        let fitting = usize::from((room / NARROWEST).max(1));
        let sums_rows = wants_rows && fitting > 2;
        let columns = (fitting - usize::from(sums_rows)).min(matrix.columns.len());
        // A matrix that the filter has left nothing of is not drawn, and still has to be measured.
        let width = (room / (columns + usize::from(sums_rows)).max(1) as u16).clamp(1, WIDEST);
        let lines = area.height.saturating_sub(1).max(1);
        // The last row needs no blank line below it.
        let capacity = |height: u16| usize::from((lines + height / 3) / height);
        let wanted = matrix.rows.len() + usize::from(wants_columns);
        let fits = |height: &u16| capacity(*height) >= wanted;
        let height = [3, 2].into_iter().find(fits).unwrap_or(if lines >= 8 { 2 } else { 1 });
        let sums_columns = wants_columns && capacity(height) > 2;
        let rows = capacity(height).max(1) - usize::from(sums_columns);
        let page = |at: usize, size: usize| at / size.max(1) * size;
        Self {
            names,
            width,
            height,
            rows,
            columns,
            first_row: page(row, rows),
            first_column: page(column, columns),
            sums_rows,
            sums_columns,
        }
    }

    /// Where a cell lies that is so far down and to the right on this page.
    fn cell(&self, down: usize, right: usize, area: Rect) -> Rect {
        let x = area.x + self.names + right as u16 * self.width;
        let y = area.y + 1 + down as u16 * self.height;
        Rect { x, y, width: self.width - 1, height: self.height.min(2) }.intersection(area)
    }
}

fn headings(matrix: &Matrix<'_>, field: &Field, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let mut writer = Writer::new(buffer, area, 0);
    let (dim, strong) = (theme.style(Role::Dim), theme.style(Role::Strong));
    writer.field(matrix.row_axis.unwrap_or_default(), field.names, dim, theme.glyphs.ellipsis);
    for column in matrix.columns.iter().skip(field.first_column).take(field.columns) {
        writer.field(column, field.width - 1, strong, theme.glyphs.ellipsis).skip(1);
    }
    if field.sums_rows {
        let place = field.cell(0, field.columns, area);
        let place = Rect { y: area.y, height: 1, ..place }.intersection(area);
        let room = place.width;
        Writer::new(buffer, place, 0).field(SUM, room, theme.style(Role::Title), theme.glyphs.ellipsis);
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
