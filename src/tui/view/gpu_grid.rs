//! GPUs in full, side by side as far as there is room.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::gpu_card::Card;
use super::text::{Writer, width};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// A narrower card has no room for what is said of the processes.
const NARROWEST: u16 = 76;

fn columns(width: u16, cards: usize) -> usize {
    usize::from((width / NARROWEST).max(1)).min(cards.max(1))
}

fn height_of_row(row: &[Card<'_>]) -> u16 {
    row.iter().map(Card::lines_in_full).max().unwrap_or(0)
}

/// Lines that these cards take in so many cells of width.
pub(super) fn height(cards: &[Card<'_>], width: u16) -> u16 {
    cards.chunks(columns(width, cards.len())).map(height_of_row).fold(0, u16::saturating_add)
}

/// How many lines more each of these cards may take so that all of them have room.
pub(super) fn spare_lines(cards: &[Card<'_>], area: Rect) -> usize {
    let rows = cards.len().div_ceil(columns(area.width, cards.len())).max(1);
    usize::from(area.height.saturating_sub(height(cards, area.width))) / rows
}

/// Draws them, each row as high as its highest card. They are the last ones of `all`: the others are scrolled away.
pub(super) fn draw(cards: &[Card<'_>], all: usize, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let columns = columns(area.width, cards.len());
    let width_of_card = (area.width - (columns as u16 - 1) * 3) / columns as u16;
    let mut y = area.y;
    for row in cards.chunks(columns) {
        let height = height_of_row(row);
        for (column, card) in row.iter().enumerate() {
            let x = area.x + column as u16 * (width_of_card + 3);
            card.full(Rect { x, y, width: width_of_card, height }.intersection(area), buffer);
        }
        y = y.saturating_add(height);
        if y >= area.bottom() {
            break;
        }
    }
    let hidden = cards.len() < all || y > area.bottom() + 1;
    if hidden && area.height > 0 {
        let text = format!("{} {all} GPUs: scroll", theme.glyphs.up_down);
        let line = Rect { y: area.bottom() - 1, height: 1, ..area };
        let room = width(&text);
        let corner = Rect { x: area.right().saturating_sub(room + 1), width: room + 1, ..line };
        Writer::new(buffer, corner, 0).right(&text, room + 1, theme.style(Role::Key));
    }
}
