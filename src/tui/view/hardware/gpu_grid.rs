//! GPUs in full, side by side as far as there is room.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::gpu_card::CardView;
use super::gpus::{Cards, beyond, folded};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::text::{TextWriter, width};

/// A narrower card has no room for what is said of the processes.
const NARROWEST: u16 = 76;

fn columns(width: u16, cards: usize) -> usize {
    usize::from((width / NARROWEST).max(1)).min(cards.max(1))
}

fn height_of_row(row: &[CardView<'_>]) -> u16 {
    row.iter().map(CardView::lines_in_full).max().unwrap_or(0)
}

fn height_of(views: &[CardView<'_>], width: u16) -> u16 {
    views.chunks(columns(width, views.len())).map(height_of_row).fold(0, u16::saturating_add)
}

/// Lines that these cards take in so many cells of width.
pub(in crate::tui::view) fn height(cards: &Cards<'_>, width: u16) -> u16 {
    height_of(&cards.views, width).saturating_add(u16::from(!cards.order.idle.is_empty()))
}

/// How many lines more each of these cards may take so that all of them have room.
pub(in crate::tui::view) fn spare_lines(cards: &Cards<'_>, area: Rect) -> usize {
    let count = cards.views.len();
    let rows = count.div_ceil(columns(area.width, count)).max(1);
    usize::from(area.height.saturating_sub(height(cards, area.width))) / rows
}

/// Draws them inside of a frame from number `from` on, each row as high as its highest card. What has no room is
/// counted in the frame, where it hides nothing.
pub(in crate::tui::view) fn draw(
    cards: &Cards<'_>,
    from: usize,
    theme: &Theme,
    frame: Rect,
    area: Rect,
    buffer: &mut Buffer,
) {
    // Nothing is scrolled away while all have room.
    let fits = height(cards, area.width) <= area.height + 1;
    let from = if fits { 0 } else { from.min(cards.views.len().saturating_sub(1)) };
    let views = &cards.views[from..];
    let columns = columns(area.width, views.len());
    let width_of_card = (area.width - (columns as u16 - 1) * 3) / columns as u16;
    let (mut y, mut seen) = (area.y, from);
    for row in views.chunks(columns) {
        let height = height_of_row(row);
        for (column, card) in row.iter().enumerate() {
            let x = area.x + column as u16 * (width_of_card + 3);
            card.full(Rect { x, y, width: width_of_card, height }.intersection(area), buffer);
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
    TextWriter::new(buffer, idle, 0).put(&folded(&[], &cards.order.idle, theme), theme.style(Role::Dim));
    let below = cards.views.len() - seen;
    if from > 0 || below > 0 {
        let text = format!(" {} {} ", theme.glyphs.up_down, beyond(from, below));
        let room = width(&text).min(frame.width);
        let x = frame.right().saturating_sub(room + 2).max(frame.x);
        let corner = Rect { x, y: frame.bottom().saturating_sub(1), width: room, height: 1 };
        TextWriter::new(buffer, corner, 0).put(&text, theme.style(Role::Key));
    }
}
