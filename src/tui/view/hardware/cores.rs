//! How busy each core is: bars where there is room, else numbers, else one sign for each.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::format;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::bar;
use crate::tui::view::panes::text::TextWriter;

/// Cells of a core with a bar, at least.
const WITH_BAR: u16 = 20;

/// Cells of a core with its number and its percentage.
const IN_NUMBERS: u16 = 10;

/// Draws all of them, column by column; gives the lines that they take.
pub(in crate::tui::view) fn draw_cores(cores: &[f64], theme: &Theme, area: Rect, buffer: &mut Buffer) -> u16 {
    let fits = |cell: &u16| usize::from(area.width / cell) * usize::from(area.height) >= cores.len();
    match [WITH_BAR, IN_NUMBERS].into_iter().find(fits) {
        Some(cell) => in_columns(cores, cell, theme, area, buffer),
        None => as_signs(cores, theme, area, buffer),
    }
}

/// As few columns as hold all, each as wide as they leave room for.
fn in_columns(cores: &[f64], least: u16, theme: &Theme, area: Rect, buffer: &mut Buffer) -> u16 {
    let rows = usize::from(area.height);
    let wanted = u16::try_from(cores.len().div_ceil(rows)).unwrap_or(u16::MAX).max(1);
    // A bar over the whole of a wide screen is no clearer than a short one.
    let columns = wanted.max(area.width / (2 * WITH_BAR)).min(area.width / least).max(1);
    let cell = area.width / columns;
    let rows = cores.len().div_ceil(usize::from(columns)).max(1);
    for (core, busy) in cores.iter().enumerate() {
        let place = Rect { x: area.x + (core / rows) as u16 * cell, width: cell - 2, ..area };
        let mut writer = TextWriter::new(buffer, place, (core % rows) as u16);
        writer.put_right(&core.to_string(), 3, theme.style(Role::Dim)).skip(1);
        if least == WITH_BAR {
            let room = writer.room().saturating_sub(5);
            bar::draw_segments(&mut writer, room, &[(busy / 100.0, theme.grade_style(busy / 100.0))], theme);
            writer.put_right(&format::format_percent(*busy), 5, theme.style(Role::Text));
        } else {
            writer.put_right(&format::format_percent(*busy), 4, theme.style(Role::Text));
        }
    }
    rows.min(usize::from(area.height)) as u16
}

/// Draws one cell for each core; cores that do not fit are not shown.
fn as_signs(cores: &[f64], theme: &Theme, area: Rect, buffer: &mut Buffer) -> u16 {
    for (row, line) in (0..area.height).zip(cores.chunks(usize::from(area.width.max(1)))) {
        let mut writer = TextWriter::new(buffer, area, row);
        for busy in line {
            let level = (busy / 100.0 * 7.0).round().clamp(0.0, 7.0) as usize;
            writer.put(theme.glyphs.levels[level], theme.grade_style(busy / 100.0));
        }
    }
    area.height
}
