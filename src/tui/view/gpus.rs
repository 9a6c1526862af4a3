//! The pane of the GPUs: as much of each as there is room for all.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use super::gpu_card::Card;
use super::pane;
use super::tenants::Tenants;
use super::text::{Writer, wrap};
use crate::model::sample::GpuInventory;
use crate::tui::format;
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
    let view =
        |card| Card::new(&model.machine, card, Tenants::shards(model, card.index, theme), theme, model.now);
    match absence(inventory) {
        Some(reason) => tell(reason, theme, inner, buffer),
        None => draw_cards(&cards.iter().map(view).collect::<Vec<_>>(), inner, buffer),
    }
}

/// Why there is no card to show.
pub(super) fn absence(inventory: Option<&GpuInventory>) -> Option<&str> {
    match inventory {
        None => Some("not read yet"),
        Some(GpuInventory::Absent { reason }) => Some(reason),
        Some(GpuInventory::Present { cards, .. }) if cards.is_empty() => Some("the driver sees no GPU"),
        Some(GpuInventory::Present { .. }) => None,
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

/// The lines that these cards take in the largest size in which all of them fit into so many.
pub(super) fn height_of_cards(views: &[Card<'_>], most: u16) -> u16 {
    let size = Size::fitting(views, most);
    u16::try_from(views.iter().map(|view| size.lines_of(view)).sum::<usize>()).unwrap_or(u16::MAX).min(most)
}

/// As much of each card as there is room for all.
pub(super) fn draw_cards(views: &[Card<'_>], area: Rect, buffer: &mut Buffer) {
    let size = Size::fitting(views, area.height);
    let mut y = area.y;
    for view in views {
        let height = size.lines_of(view) as u16;
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

impl Size {
    fn lines_of(self, view: &Card<'_>) -> usize {
        match self {
            Self::Tall => 4 + usize::from(!view.remarks.is_empty()),
            Self::Middle => 2,
            Self::Short => 1,
        }
    }

    /// The largest in which all cards fit.
    fn fitting(views: &[Card<'_>], height: u16) -> Self {
        let fits =
            |size: &Self| views.iter().map(|view| size.lines_of(view)).sum::<usize>() <= usize::from(height);
        [Self::Tall, Self::Middle].into_iter().find(fits).unwrap_or(Self::Short)
    }
}
