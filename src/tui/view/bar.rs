//! Bars: how much of something is done, and a history as a row of small columns.

use ratatui::style::Style;

use super::plot;
use super::text::Writer;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws a bar of which the given parts, one after the other, are filled; the rest is track.
pub fn segments(writer: &mut Writer<'_>, width: u16, parts: &[(f64, Style)], theme: &Theme) {
    let glyphs = &theme.glyphs;
    let mut drawn = 0;
    let mut sum = 0.0;
    for (index, (part, style)) in parts.iter().enumerate() {
        sum += part.clamp(0.0, 1.0);
        let halves = (sum.min(1.0) * f64::from(width) * 2.0).round() as u16;
        while drawn + 2 <= halves {
            writer.put(glyphs.bar, *style);
            drawn += 2;
        }
        // Only the last part may end in half a cell, because the other half is track.
        if index + 1 == parts.len()
            && drawn < halves
            && let Some(half) = glyphs.bar_half
        {
            writer.put(half, *style);
            drawn += 2;
        }
    }
    let track = theme.style(Role::Track);
    for _ in (drawn / 2)..width {
        writer.put(glyphs.track, track);
    }
}

/// Draws values of 0 to 1 as a history, newest on the right: two narrow columns of dots a cell where there are dots,
/// else one of eight heights.
pub fn history(
    writer: &mut Writer<'_>,
    width: u16,
    values: impl DoubleEndedIterator<Item = Option<f64>>,
    style: Style,
    theme: &Theme,
) {
    let in_cell = if theme.glyphs.braille { 2 } else { 1 };
    let room = usize::from(width) * in_cell;
    let mut newest: Vec<Option<f64>> = values.rev().take(room).collect();
    newest.resize(room, None);
    newest.reverse();
    for cell in newest.chunks(in_cell) {
        match cell {
            [None] | [None, None] => _ = writer.skip(1),
            [Some(value)] => {
                let level = (value.clamp(0.0, 1.0) * 7.0).round() as usize;
                writer.put(theme.glyphs.levels[level], style);
            }
            pair => _ = writer.put(plot::columns(pair).encode_utf8(&mut [0; 4]), style),
        }
    }
}

/// The style of a gauge: loud near its limit.
pub fn gauge(fraction: Option<f64>, theme: &Theme) -> Style {
    let high = fraction.is_some_and(|fraction| fraction >= 0.9);
    theme.style(if high { Role::GaugeHigh } else { Role::Gauge })
}
