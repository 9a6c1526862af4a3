//! GPUs in full, side by side as far as there is room.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::gpu_card::CardView;
use super::gpus::{Cards, draw_hidden, folded_text};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::text::TextWriter;

/// A narrower card has no room for the words on the processes.
const NARROWEST: u16 = 76;

fn column_count(width: u16, cards: usize) -> usize {
    usize::from((width / NARROWEST).max(1)).min(cards.max(1))
}

fn height_of_row(row: &[CardView<'_>]) -> u16 {
    row.iter().map(CardView::lines_in_full).max().unwrap_or(0)
}

fn height_of(views: &[CardView<'_>], width: u16) -> u16 {
    views.chunks(column_count(width, views.len())).map(height_of_row).fold(0, u16::saturating_add)
}

/// Lines that these cards take in so many cells of width.
pub(in crate::tui::view) fn grid_height(cards: &Cards<'_>, width: u16) -> u16 {
    height_of(&cards.views, width).saturating_add(u16::from(!cards.order.idle.is_empty()))
}

/// How many lines more each of these cards may take so that all of them have room.
pub(in crate::tui::view) fn spare_lines(cards: &Cards<'_>, area: Rect) -> usize {
    let count = cards.views.len();
    let rows = count.div_ceil(column_count(area.width, count)).max(1);
    usize::from(area.height.saturating_sub(grid_height(cards, area.width))) / rows
}

/// Draws them inside of a frame from number `from` on, each row as high as its highest card. What has no room is
/// counted in the frame, where it hides nothing.
pub(in crate::tui::view) fn draw_grid(
    cards: &Cards<'_>,
    from: usize,
    theme: &Theme,
    frame: Rect,
    area: Rect,
    buffer: &mut Buffer,
) {
    // Nothing is scrolled away while all have room.
    let fits = grid_height(cards, area.width) <= area.height + 1;
    let from = if fits { 0 } else { from.min(cards.views.len().saturating_sub(1)) };
    let views = &cards.views[from..];
    let columns = column_count(area.width, views.len());
    let width_of_card = (area.width - (columns as u16 - 1) * 3) / columns as u16;
    let (mut y, mut seen) = (area.y, from);
    for row in views.chunks(columns) {
        let height = height_of_row(row);
        for (column, card) in row.iter().enumerate() {
            let x = area.x + column as u16 * (width_of_card + 3);
            card.draw_full(Rect { x, y, width: width_of_card, height }.intersection(area), buffer);
        }
        y = y.saturating_add(height);
        // The last line of a card is blank.
        if y <= area.bottom() + 1 {
            seen += row.len();
        }
        if y >= area.bottom() {
            break;
        }
    }
    let idle = Rect { y: y.min(area.bottom()), height: 1, ..area }.intersection(area);
    TextWriter::new(buffer, idle, 0).put(&folded_text(&[], &cards.order.idle, theme), theme.style(Role::Dim));
    draw_hidden(from, cards.views.len() - seen, theme, frame, buffer);
}
