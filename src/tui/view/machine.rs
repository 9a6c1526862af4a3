//! Every GPU in full, and the host with the processes of the shards.

use std::collections::VecDeque;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::gpu_card::Card;
use super::gpus::{age, tell};
use super::host;
use super::pane;
use super::text::{Writer, width};
use crate::model::sample::{GpuCard, GpuInventory, GpuSample};
use crate::tui::format::{self, or_unknown};
use crate::tui::model::gpu_remarks::remarks;
use crate::tui::model::machine::Freshness;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// A narrower card has no room for what is said of the processes.
const NARROWEST: u16 = 76;

/// The gauges of the host and their frame.
const HOST: u16 = 4;

/// Draws it with its frames.
pub fn draw(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let cards = model.machine.inventory.as_ref().map_or(&[][..], GpuInventory::cards);
    // Without cards there is one reason to read; what they leave is for the host.
    let wanted =
        if cards.is_empty() { 4 } else { height_of_all(model, theme, area.width.saturating_sub(4)) + 2 };
    let rest = area.height.saturating_sub(wanted);
    let host_height = if rest > HOST { rest } else { HOST.min(area.height / 3) };
    let host_height = if host_height < HOST { 0 } else { host_height };
    let (gpus, below) = (area.height - host_height, area.bottom() - host_height);
    let freshness = if cards.is_empty() { Freshness::Fresh } else { model.machine.gpu_freshness(model.now) };
    let focused = model.focus == Pane::Shards;
    let frame = Rect { height: gpus, ..area };
    let inner = pane::draw("GPUs", age(freshness, theme), focused, theme, frame, buffer);
    match &model.machine.inventory {
        None => _ = Writer::new(buffer, inner, 0).put("not read yet", theme.style(Role::Dim)),
        Some(GpuInventory::Absent { reason }) => tell(reason, theme, inner, buffer),
        Some(GpuInventory::Present { cards, .. }) if cards.is_empty() => {
            tell("the driver sees no GPU", theme, inner, buffer);
        }
        Some(GpuInventory::Present { .. }) => grid(model, theme, inner, buffer),
    }
    if host_height > 0 {
        let area = Rect { y: below, height: host_height, ..area };
        host::draw(model, theme, area, buffer);
        let inside = Rect {
            x: area.x + 2,
            y: area.y + 3,
            width: area.width.saturating_sub(4),
            height: host_height - 4,
        };
        if inside.height > 1 {
            processes(model, theme, inside, buffer);
        }
    }
}

/// The cards from the first that is not hidden on.
fn views<'a>(model: &'a Model, theme: &'a Theme, empty: &'a VecDeque<GpuSample>) -> Vec<Card<'a>> {
    let cards = model.machine.inventory.as_ref().map_or(&[][..], GpuInventory::cards);
    let first = model.views.cards.min(cards.len().saturating_sub(1));
    let view = |card: &'a GpuCard| {
        let history = model.machine.gpus.get(&card.index).unwrap_or(empty);
        Card { model, theme, card, history, remarks: remarks(&model.machine, card.index, model.now) }
    };
    cards[first..].iter().map(view).collect()
}

fn columns(width: u16, cards: usize) -> usize {
    usize::from((width / NARROWEST).max(1)).min(cards.max(1))
}

/// Lines that the grid takes in so many cells of width.
fn height_of_all(model: &Model, theme: &Theme, width: u16) -> u16 {
    let empty = VecDeque::new();
    let views = views(model, theme, &empty);
    let rows = views.chunks(columns(width, views.len()));
    rows.map(|row| row.iter().map(Card::lines_in_full).max().unwrap_or(0)).fold(0, u16::saturating_add)
}

/// Cards side by side as far as there is room, each row as high as its highest card.
fn grid(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let empty = VecDeque::new();
    let cards = model.machine.inventory.as_ref().map_or(&[][..], GpuInventory::cards);
    let views = views(model, theme, &empty);
    let columns = columns(area.width, views.len());
    let width = (area.width - (columns as u16 - 1) * 3) / columns as u16;
    let mut y = area.y;
    for row in views.chunks(columns) {
        let height = row.iter().map(Card::lines_in_full).max().unwrap_or(0);
        for (column, card) in row.iter().enumerate() {
            let x = area.x + column as u16 * (width + 3);
            card.full(Rect { x, y, width, height }.intersection(area), buffer);
        }
        y = y.saturating_add(height);
        if y >= area.bottom() {
            break;
        }
    }
    let hidden = model.views.cards > 0 || y > area.bottom() + 1;
    if hidden && area.height > 0 {
        let text = format!("{} {} GPUs: scroll", theme.glyphs.up_down, cards.len());
        let line = Rect { y: area.bottom() - 1, height: 1, ..area };
        let room = super::text::width(&text);
        let corner = Rect { x: area.right().saturating_sub(room + 1), width: room + 1, ..line };
        Writer::new(buffer, corner, 0).right(&text, room + 1, theme.style(Role::Key));
    }
}

/// What the shards use of the host, the selected one marked.
fn processes(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let dim = theme.style(Role::Dim);
    let active = model.readings().enumerate().filter(|(_, reading)| reading.state.phase.kind().is_active());
    let names =
        model.state.shards.iter().map(|shard| width(shard.id.as_str())).max().unwrap_or(0).clamp(8, 32);
    Writer::new(buffer, area, 0)
        .skip(2)
        .field("shard", names, dim, theme.glyphs.ellipsis)
        .right("pid", 9, dim)
        .right("processes", 11, dim)
        .right("CPU", 7, dim)
        .right("RAM", 11, dim);
    for (line, (position, reading)) in active.take(usize::from(area.height - 1)).enumerate() {
        let text = theme.style(Role::Text);
        let sample = reading.sample();
        let pid = reading.state.phase.live().and_then(|live| live.pid);
        let mut writer = Writer::new(buffer, area, line as u16 + 1);
        writer.put(theme.glyphs.series, theme.series(position)).skip(1);
        writer.field(reading.state.id.as_str(), names, text, theme.glyphs.ellipsis);
        writer.right(&or_unknown(pid, |pid| pid.to_string()), 9, text);
        writer.right(&or_unknown(sample, |sample| sample.processes.to_string()), 11, text);
        writer.right(&or_unknown(reading.cpu(), format::percent), 7, text);
        let ram = sample.and_then(|sample| sample.rss_bytes);
        writer.right(&or_unknown(ram, |bytes| bytes.to_string()), 11, text);
    }
}
