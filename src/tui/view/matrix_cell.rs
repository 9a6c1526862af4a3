//! A cell of the matrix: what its shards are at, how well they do, and its ground in the heat map.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::panes::bar;
use super::panes::text::{TextWriter, text_width};
use crate::model::state::phase::PhaseKind;
use crate::tui::format;
use crate::tui::model::hardware::heat::{CellGround, CellRank};
use crate::tui::model::matrix::MatrixCell;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Greatest width of a bar.
const LONGEST_BAR: u16 = 20;

/// The parts from which a cell is drawn.
pub(super) struct Drawn<'a> {
    pub(super) cell: &'a MatrixCell,
    pub(super) ground: Option<CellGround>,
    pub(super) rank: Option<CellRank>,
    pub(super) theme: &'a Theme,
}

impl Drawn<'_> {
    pub(super) fn draw(&self, area: Rect, buffer: &mut Buffer) {
        let style = self.theme.style(Role::of_phase(self.cell.kind));
        let mut first = TextWriter::new(buffer, area, 0);
        let pad = text_padding(area.width);
        first.skip(pad);
        self.draw_state(style, &mut first);
        let (outcome, outcome_style) = self.outcome_text();
        if area.height < 2 {
            let room = first.room().saturating_sub(pad);
            let text = self.ranked_outcome(&outcome, room);
            if text_width(&text) < room {
                first.put_right(&text, room, outcome_style);
            }
        } else {
            self.draw_bar(style, pad, &mut first);
            let mut second = TextWriter::new(buffer, area, 1);
            second.skip(pad);
            let room = second.room().saturating_sub(pad);
            second.put_field(
                &self.ranked_outcome(&outcome, room),
                room,
                outcome_style,
                self.theme.glyphs.ellipsis,
            );
            self.draw_remark(area, buffer);
        }
        self.draw_shade(area, buffer);
    }

    /// The glyph with the count of what is done, or how many shards are in which state.
    fn draw_state(&self, style: Style, writer: &mut TextWriter<'_>) {
        let glyphs = &self.theme.glyphs;
        if self.cell.shards == 1 {
            let glyph = self
                .cell
                .condition
                .map_or(glyphs.for_phase(self.cell.kind), |what| glyphs.for_condition(what));
            let word = self.cell.condition.map_or(self.cell.kind.as_str(), |what| what.as_str());
            let text = self.cell.progress.map_or_else(|| word.to_owned(), format::format_progress);
            writer.put(&format!("{glyph} {text} "), style);
            return;
        }
        for kind in PhaseKind::ALL {
            let count = self.cell.counts[kind as usize];
            if count > 0 {
                let text = format!("{}{count} ", glyphs.for_phase(kind));
                writer.put(&text, self.theme.style(Role::of_phase(kind)));
            }
        }
    }

    fn draw_bar(&self, style: Style, pad: u16, writer: &mut TextWriter<'_>) {
        let room = writer.room().saturating_sub(pad).min(LONGEST_BAR);
        if room >= 3 && self.cell.done > 0.0 {
            bar::draw_segments(writer, room, &[(self.cell.done, style)], self.theme);
        }
    }

    /// The success so far, or why there is none.
    fn outcome_text(&self) -> (String, Style) {
        match (self.cell.failure, self.cell.success) {
            (Some(failure), None) => (failure.to_string(), self.theme.style(Role::Failed)),
            (_, Some(success)) => {
                let role = if self.rank.is_some() { Role::Strong } else { Role::Text };
                (format::format_success(&success), self.theme.style(role))
            }
            (None, None) => (self.theme.glyphs.unknown.to_owned(), self.theme.style(Role::Dim)),
        }
    }

    /// The outcome with the rank after it; where there is little room the rank replaces the interval.
    fn ranked_outcome(&self, outcome: &str, room: u16) -> String {
        let Some((rank, success)) = self.rank.zip(self.cell.success) else { return outcome.to_owned() };
        let whole = format!("{outcome} {}", rank.as_str());
        if text_width(&whole) <= room {
            return whole;
        }
        format!("{:.0} % {}", 100.0 * success.rate, rank.as_str())
    }

    /// Tall cells with successes also show why one of their shards failed.
    fn draw_remark(&self, area: Rect, buffer: &mut Buffer) {
        if let (Some(failure), Some(_), true) = (self.cell.failure, self.cell.success, area.height > 2) {
            let mut third = TextWriter::new(buffer, area, 2);
            third.skip(text_padding(area.width));
            let room = third.room().saturating_sub(1);
            let style = self.theme.style(Role::Failed);
            third.put_field(&failure.to_string(), room, style, self.theme.glyphs.ellipsis);
        }
    }

    /// Tints the ground. Where the terminal has no tints, what is blank right of the texts is filled with a texture
    /// that is the denser the better.
    fn draw_shade(&self, area: Rect, buffer: &mut Buffer) {
        let Some(ground) = self.ground else { return };
        let (filled, tint, texture, role) = match ground {
            CellGround::Graded(grade) => {
                let texture = self.theme.glyphs.textures[grade];
                (area.width, self.theme.heat_style(grade), texture, grade_role(grade))
            }
            CellGround::Filled(part) => {
                let filled = (f64::from(area.width) * part.clamp(0.0, 1.0)).round() as u16;
                (filled, self.theme.tint_style(Role::Filled), self.theme.glyphs.textures[2], Role::Dim)
            }
        };
        let area = Rect { width: filled, ..area }.intersection(buffer.area);
        if let Some(tint) = tint {
            buffer.set_style(area, tint);
            return;
        }
        let style = self.theme.style(role);
        for y in area.top()..area.bottom() {
            let is_written = |x: &u16| buffer[(*x, y)].symbol() != " ";
            let text_end = (area.left()..area.right()).rev().find(is_written).map_or(area.left(), |x| x + 2);
            for x in text_end..area.right() {
                buffer[(x, y)].set_symbol(texture).set_style(style);
            }
        }
    }
}

/// Blank cells left and right of the texts: on a tinted ground they should not touch its edge, where there is room.
pub(super) fn text_padding(width: u16) -> u16 {
    u16::from(width >= 18)
}

/// The colour of a texture, where there are colours but no tints.
fn grade_role(grade: usize) -> Role {
    match grade {
        0 | 1 => Role::Failed,
        2 => Role::Warning,
        _ => Role::Succeeded,
    }
}
