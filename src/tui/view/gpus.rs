//! The pane of the GPUs: as much of each as there is room for all.

use std::collections::VecDeque;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use super::gpu_card::Card;
use super::pane;
use super::text::{Writer, wrap};
use crate::model::sample::{GpuCard, GpuInventory};
use crate::tui::format;
use crate::tui::model::gpu_remarks::remarks;
use crate::tui::model::machine::Freshness;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws them with their frame.
pub fn draw(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let inventory = model.machine.inventory.as_ref();
    let cards = inventory.map_or(&[][..], GpuInventory::cards);
    let title = if cards.len() == 1 { "GPU" } else { "GPUs" };
    let freshness = if cards.is_empty() { Freshness::Fresh } else { model.machine.gpu_freshness(model.now) };
    let note = age(freshness, theme);
    let inner = pane::draw(title, note, model.focus == Pane::Machine, theme, area, buffer);
    match inventory {
        None => _ = Writer::new(buffer, inner, 0).put("not read yet", theme.style(Role::Dim)),
        Some(GpuInventory::Absent { reason }) => tell(reason, theme, inner, buffer),
        Some(GpuInventory::Present { cards, .. }) if cards.is_empty() => {
            tell("the driver sees no GPU", theme, inner, buffer);
        }
        Some(GpuInventory::Present { cards, .. }) => draw_cards(model, theme, cards, inner, buffer),
    }
}

/// How old readings are that no longer hold.
pub fn age<'a>(freshness: Freshness, theme: &Theme) -> Vec<Span<'a>> {
    match freshness {
        Freshness::Fresh => Vec::new(),
        Freshness::Never => vec![Span::styled("no reading yet", theme.style(Role::Dim))],
        Freshness::Stale(age) => {
            vec![Span::styled(format!("stale: {} old", format::duration(age)), theme.style(Role::Warning))]
        }
    }
}

/// A reason, in as many lines as it takes.
pub fn tell(reason: &str, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    for (line, text) in wrap(reason, usize::from(area.width)).iter().enumerate() {
        Writer::new(buffer, area, line as u16).put(text, theme.style(Role::Dim));
    }
}

fn draw_cards(model: &Model, theme: &Theme, cards: &[GpuCard], area: Rect, buffer: &mut Buffer) {
    let empty = VecDeque::new();
    let views: Vec<Card<'_>> = cards
        .iter()
        .map(|card| {
            let history = model.machine.gpus.get(&card.index).unwrap_or(&empty);
            let remarks = remarks(&model.machine, card.index, model.now);
            Card { model, theme, card, history, remarks }
        })
        .collect();
    let lines_of = |view: &Card<'_>, size: Size| match size {
        Size::Tall => 4 + usize::from(!view.remarks.is_empty()),
        Size::Middle => 2,
        Size::Short => 1,
    };
    let fits = |size: &Size| {
        views.iter().map(|view| lines_of(view, *size)).sum::<usize>() <= usize::from(area.height)
    };
    let size = [Size::Tall, Size::Middle].into_iter().find(fits).unwrap_or(Size::Short);
    let mut y = area.y;
    for view in &views {
        let height = lines_of(view, size) as u16;
        let place = Rect { y, height, ..area }.intersection(area);
        y = y.saturating_add(height);
        match size {
            Size::Tall => view.tall(place, buffer),
            Size::Middle => view.middle(place, buffer),
            Size::Short => view.short(place, buffer),
        }
    }
}

/// How much room each card has.
#[derive(Debug, Clone, Copy)]
enum Size {
    Tall,
    Middle,
    Short,
}
