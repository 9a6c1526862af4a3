//! One GPU in one row: its VRAM, utilisation, watts and degrees in columns, and tags next to them; in two with their
//! recent past.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::gpu_card::{CardView, Paint, TrendMeasure};
use crate::model::units::{Bytes, or_unknown};
use crate::tui::format;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::text::{TextWriter, text_width};

/// Least width of a bar of memory.
const SHORTEST_BAR: u16 = 8;

/// The past of three measures side by side takes this many cells.
const THREE_PASTS: u16 = 66;

/// Level of detail of the figures of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowDetail {
    /// Each with its limit, and all tags.
    Full,
    /// Memory alone with its limit, and the gravest tag.
    Short,
    /// The same, with the word of the tag alone.
    Shortest,
}

/// The widths of the columns in a list of cards, so that their figures line up.
#[derive(Debug, Clone, Copy)]
pub(in crate::tui::view) struct GpuColumns {
    form: RowDetail,
    index: u16,
    figures: [u16; FIGURES],
}

/// VRAM, utilisation, power, temperature, tags.
const FIGURES: usize = 5;

/// Widths that figures may grow to while they are shown: a percentage, and what comes before a unit.
const LEAST: [u16; FIGURES] = [0, 4, 4, 4, 0];

impl GpuColumns {
    /// Returns the most informative columns for which a row of so many cells has room.
    pub(in crate::tui::view) fn for_width(cards: &[CardView<'_>], room: u16) -> Self {
        let columns = [RowDetail::Full, RowDetail::Short].map(|form| Self::for_cards(cards, form));
        let fits = |columns: &Self| columns.fixed_width() + SHORTEST_BAR <= room;
        columns.into_iter().find(fits).unwrap_or_else(|| Self::for_cards(cards, RowDetail::Shortest))
    }

    fn for_cards(cards: &[CardView<'_>], form: RowDetail) -> Self {
        let mut columns = Self { form, index: 1, figures: LEAST };
        for card in cards {
            columns.index = columns.index.max(text_width(&card.card.index.to_string()));
            for (column, (text, _)) in columns.figures.iter_mut().zip(card.figure_texts(form)) {
                *column = text_width(&text).max(*column);
            }
        }
        columns
    }

    /// Everything but the bar.
    fn fixed_width(&self) -> u16 {
        self.index
            + 1
            + self
                .figures
                .iter()
                .filter(|column| **column > 0)
                .map(|column| column + self.gap_width())
                .sum::<u16>()
    }

    /// Cells between the columns.
    fn gap_width(&self) -> u16 {
        match self.form {
            RowDetail::Full => 2,
            RowDetail::Short | RowDetail::Shortest => 1,
        }
    }

    /// Cells before the bar.
    fn indent_width(&self) -> u16 {
        self.index + 1
    }
}

impl CardView<'_> {
    /// In two lines: its figures, and below them their past.
    pub(in crate::tui::view) fn draw_middle(&self, columns: &GpuColumns, area: Rect, buffer: &mut Buffer) {
        self.draw_row(columns, Paint::Tenants, TextWriter::new(buffer, area, 0));
        let mut writer = TextWriter::new(buffer, area, 1);
        writer.skip(columns.indent_width());
        let all = [TrendMeasure::Utilization, TrendMeasure::Power, TrendMeasure::Heat];
        let shown = if writer.room() >= THREE_PASTS { &all[..] } else { &all[..2] };
        let count = shown.len() as u16;
        let cells = writer.room() / count;
        for (number, measure) in (1..).zip(shown) {
            // The last one takes what does not divide, and needs no gap after it.
            let room = if number == count { writer.room() } else { cells - 2 };
            let label = format!("{} ", measure.label());
            writer.put(&label, self.theme.style(Role::Dim));
            self.draw_history(*measure, room.saturating_sub(text_width(&label)), &mut writer);
            writer.skip(2);
        }
    }

    /// Draws the row; how it shows whose memory it is depends on the paint of the bar.
    pub(in crate::tui::view) fn draw_row(
        &self,
        columns: &GpuColumns,
        paint: Paint,
        mut writer: TextWriter<'_>,
    ) {
        let strong = self.theme.style(Role::Strong);
        writer.put_right(&self.card.index.to_string(), columns.index, strong).skip(1);
        let bar = (writer.room() + columns.indent_width()).saturating_sub(columns.fixed_width());
        self.memory_bar(bar, paint, &mut writer);
        let [figures @ .., tag] = self.figure_texts(columns.form);
        for ((text, style), column) in figures.into_iter().zip(columns.figures) {
            writer.skip(columns.gap_width()).put_right(&text, column, style);
        }
        writer.skip(columns.gap_width()).put(&tag.0, tag.1);
    }

    /// The texts of the columns and their styles.
    fn figure_texts(&self, form: RowDetail) -> [(String, Style); FIGURES] {
        let newest = self.newest_sample();
        let heat = newest.and_then(|sample| sample.heat_part(self.card));
        let memory = newest.and_then(|sample| sample.vram_part(self.card));
        let texts = match form {
            RowDetail::Full => {
                [self.memory_text(), self.utilization_text(), self.power_text(), self.temperature_of()]
            }
            RowDetail::Short | RowDetail::Shortest => {
                [self.short_memory(), self.utilization_text(), self.watts_text(), self.degrees_text()]
            }
        };
        let [vram, util, power, degrees] = texts;
        [
            (vram, self.figure_style(memory)),
            (util, self.figure_style(None)),
            // A card at its power cap is at work; its tag shows it.
            (power, self.figure_style(None)),
            (degrees, self.figure_style(heat)),
            self.tag_text(form),
        ]
    }

    fn tag_text(&self, form: RowDetail) -> (String, Style) {
        let texts: Vec<&str> = match form {
            RowDetail::Full => self.tags.iter().map(|tag| tag.full.as_str()).collect(),
            RowDetail::Short => self.tags.first().map(|tag| tag.full.as_str()).into_iter().collect(),
            RowDetail::Shortest => self.tags.first().map(|tag| tag.word.as_str()).into_iter().collect(),
        };
        let role = self.tags.first().map_or(Role::Dim, |tag| tag.role);
        (texts.join(" "), self.theme.style(role))
    }

    /// Formats used and total memory, such as `46.8/80G`.
    fn short_memory(&self) -> String {
        let gib = |bytes: Bytes| bytes.0 as f64 / Bytes::GIB.0 as f64;
        let used = self.newest_sample().and_then(|sample| sample.vram_used_bytes);
        match self.total_memory().filter(|total| *total >= Bytes::GIB) {
            Some(total) => {
                format!("{}/{:.0}G", or_unknown(used, |used| format!("{:.1}", gib(used))), gib(total))
            }
            None => or_unknown(used, format::format_memory),
        }
    }

    fn watts_text(&self) -> String {
        let watts = self.newest_sample().and_then(|sample| sample.power_w);
        or_unknown(watts, |watts| format!("{watts:.0}W"))
    }

    fn degrees_text(&self) -> String {
        let degrees = self.newest_sample().and_then(|sample| sample.temperature_c);
        or_unknown(degrees, |degrees| format!("{degrees:.0}{}", self.theme.glyphs.celsius))
    }
}
