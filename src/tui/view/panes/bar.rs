//! Bars: how much of something is done, and a history as a row of small columns.

use jiff::Timestamp;
use ratatui::style::Style;

use super::text::TextWriter;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws a bar of which the given parts, one after the other, are filled; the rest is track.
pub fn draw_segments(writer: &mut TextWriter<'_>, width: u16, parts: &[(f64, Style)], theme: &Theme) {
    let glyphs = &theme.glyphs;
    fill_bar(writer, width, parts, (glyphs.bar, glyphs.bar_half, glyphs.track), theme);
}

/// The same as thick as a line: for a bar that has no other above or below it.
pub fn draw_thick(writer: &mut TextWriter<'_>, width: u16, parts: &[(f64, Style)], theme: &Theme) {
    let (whole, half) = theme.glyphs.thick;
    fill_bar(writer, width, parts, (whole, half, theme.glyphs.memory_free), theme);
}

fn fill_bar(
    writer: &mut TextWriter<'_>,
    width: u16,
    parts: &[(f64, Style)],
    (whole, half, rest): (&str, Option<&str>, &str),
    theme: &Theme,
) {
    let mut drawn = 0;
    let mut sum = 0.0;
    for (index, (part, style)) in parts.iter().enumerate() {
        sum += part.clamp(0.0, 1.0);
        let halves = (sum.min(1.0) * f64::from(width) * 2.0).round() as u16;
        while drawn + 2 <= halves {
            writer.put(whole, *style);
            drawn += 2;
        }
        // Only the last part may end in half a cell, because the other half is track.
        if index + 1 == parts.len()
            && drawn < halves
            && let Some(half) = half
        {
            writer.put(half, *style);
            drawn += 2;
        }
    }
    let track = theme.style(Role::Track);
    for _ in (drawn / 2)..width {
        writer.put(rest, track);
    }
}

/// Readings of so many seconds share a column, so that a history moves half as often as it is read.
const SECONDS_OF_COLUMN: i64 = 2;

/// Draws values of 0 to 1 over time, newest on the right, each column in the style of its own value. No column fills
/// its cell, so that histories below one another stay apart.
pub fn draw_history(
    writer: &mut TextWriter<'_>,
    width: u16,
    readings: impl DoubleEndedIterator<Item = (Timestamp, Option<f64>)>,
    style: impl Fn(f64) -> Style,
    theme: &Theme,
) {
    let columns = newest_columns(readings, usize::from(width));
    let levels = &theme.glyphs.levels[..theme.glyphs.levels.len() - 1];
    writer.skip(width - columns.len() as u16);
    for value in columns.into_iter().rev() {
        match value.map(|value| value.clamp(0.0, 1.0)) {
            Some(value) => {
                let level = (value * (levels.len() - 1) as f64).round() as usize;
                writer.put(levels[level], style(value));
            }
            None => _ = writer.skip(1),
        }
    }
}

/// The means of the last columns, newest first; a column has none where nothing of it is known.
fn newest_columns(
    readings: impl DoubleEndedIterator<Item = (Timestamp, Option<f64>)>,
    most: usize,
) -> Vec<Option<f64>> {
    let mut columns: Vec<(i64, f64, u32)> = Vec::new();
    for (at, value) in readings.rev() {
        // By the clock, not by the number of readings: a column keeps its readings when it moves.
        let time = at.as_second().div_euclid(SECONDS_OF_COLUMN);
        if let Some(column) = columns.last_mut().filter(|column| column.0 == time) {
            column.1 += value.unwrap_or(0.0);
            column.2 += u32::from(value.is_some());
        } else if columns.len() == most {
            break;
        } else {
            columns.push((time, value.unwrap_or(0.0), u32::from(value.is_some())));
        }
    }
    columns.into_iter().map(|(_, sum, count)| (count > 0).then(|| sum / f64::from(count))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_means_over_two_seconds_and_keep_their_readings_when_they_move() {
        let reading = |second: i64| {
            let value = (second != 14 && second != 15).then_some(second as f64);
            (Timestamp::from_second(second).unwrap(), value)
        };
        let at = |until: i64, most| newest_columns((10..=until).map(reading), most);
        assert_eq!(at(16, 9), [Some(16.0), None, Some(12.5), Some(10.5)]);
        assert_eq!(at(17, 9), [Some(16.5), None, Some(12.5), Some(10.5)]);
        assert_eq!(at(18, 2), [Some(18.0), Some(16.5)]);
        assert_eq!(at(18, 0), []);
    }
}
