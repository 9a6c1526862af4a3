//! The pane of the GPUs: as much of each as there is room for all.

use jiff::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use super::gpu_card::{CardView, Paint};
use super::gpu_row::GpuColumns;
use super::past;
use super::tenants::CardTenants;
use crate::model::ids::GpuIndex;
use crate::model::machine::sample::{GpuCard, GpuInventory};
use crate::model::sweep::node_spec::NodeId;
use crate::tui::format;
use crate::tui::model::hardware::gpu_order::{self, CardSize, GpuOrder, MOST_TALL};
use crate::tui::model::hardware::machine::{Freshness, MachineHistory};
use crate::tui::model::monitor::Monitor;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::pane;
use crate::tui::view::panes::text::{TextWriter, text_width, wrap_text};

/// Draws them with their frame.
pub fn draw_gpus(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let inventory = model.machine.inventory.as_ref();
    let cards = model.machine.cards();
    let title = if cards.len() == 1 { "GPU" } else { "GPUs" };
    let freshness = model.machine.gpu_freshness(model.now);
    let until = past::until_note(model, theme).filter(|_| !cards.is_empty());
    let note = until.unwrap_or_else(|| gpus_note(cards, freshness, theme));
    let inner = pane::draw_pane(title, note, model.focus == Pane::Machine, theme, area, buffer);
    match absence_reason(inventory) {
        Some(reason) => draw_reason(reason, theme, inner, buffer),
        None => draw_cards(&Cards::of_run(model, theme), theme, inner, buffer),
    }
}

/// The cards that are shown one by one, and those that are not.
pub(in crate::tui::view) struct Cards<'a> {
    pub(in crate::tui::view) order: GpuOrder<'a>,
    pub(in crate::tui::view) views: Vec<CardView<'a>>,
}

impl<'a> Cards<'a> {
    /// Returns the cards of all machines of a run, with the shards on them.
    pub(in crate::tui::view) fn of_run(model: &'a Model, theme: &'a Theme) -> Self {
        let machines = model.machines();
        if let [machine] = machines.as_slice() {
            return Self::of_machine(model, *machine, theme);
        }
        let mut cards = Self { order: GpuOrder { shown: Vec::new(), idle: Vec::new() }, views: Vec::new() };
        for (node, machine) in machines {
            let order = gpu_order::of_machine(model, (node, machine)).unfolded(machine);
            let of_machine = Self::in_order(model, order, (node, machine), theme);
            cards.order.shown.extend(of_machine.order.shown);
            cards.views.extend(of_machine.views);
        }
        cards
    }

    /// Returns the cards of one machine of a run, with the shards on them.
    pub(in crate::tui::view) fn of_machine(
        model: &'a Model,
        machine: (Option<&'a NodeId>, &'a MachineHistory),
        theme: &'a Theme,
    ) -> Self {
        Self::in_order(model, gpu_order::of_machine(model, machine), machine, theme)
    }

    fn in_order(
        model: &'a Model,
        order: GpuOrder<'a>,
        machine: (Option<&'a NodeId>, &'a MachineHistory),
        theme: &'a Theme,
    ) -> Self {
        // Few of thousands: they are looked for once, not for each GPU.
        let at_work: Vec<usize> = model.shards_at_work(machine.0).map(|(position, _)| position).collect();
        let tenants = |gpu| CardTenants::from_shards(model, &at_work, machine.1, gpu, theme);
        Self::new(order, machine, tenants, theme, model.now)
    }

    /// Returns the cards of the monitor's machine, with at most so many of the processes on each.
    pub(in crate::tui::view) fn of_monitor(monitor: &'a Monitor, most: usize, theme: &'a Theme) -> Self {
        let tenants = |gpu| CardTenants::from_processes(monitor, gpu, most, theme);
        Self::new(gpu_order::of_monitor(monitor), (None, &monitor.machine), tenants, theme, monitor.now)
    }

    fn new(
        order: GpuOrder<'a>,
        machine: (Option<&'a NodeId>, &'a MachineHistory),
        tenants: impl Fn(GpuIndex) -> CardTenants,
        theme: &'a Theme,
        now: Timestamp,
    ) -> Self {
        let view = |card: &&'a GpuCard| CardView::new(machine, card, tenants(card.index), theme, now);
        Self { views: order.shown.iter().map(view).collect(), order }
    }
}

/// Why there is no card to show.
pub(in crate::tui::view) fn absence_reason(inventory: Option<&GpuInventory>) -> Option<&str> {
    match inventory {
        None => Some("not read yet"),
        Some(GpuInventory::Absent { reason }) => Some(reason),
        Some(GpuInventory::Present { cards, .. }) if cards.is_empty() => Some("the driver sees no GPU"),
        Some(GpuInventory::Present { .. }) => None,
    }
}

/// How old the readings are, or else what the cards are where all are the same: `8 × H100 80GB HBM3`.
pub(in crate::tui::view) fn gpus_note<'a>(
    cards: &[GpuCard],
    freshness: Freshness,
    theme: &Theme,
) -> Vec<Span<'a>> {
    let Some(first) = cards.first() else { return Vec::new() };
    let age = age_note(freshness, theme);
    // Where there are few cards, each has its name next to its figures.
    if !age.is_empty() || cards.len() <= MOST_TALL || cards.iter().any(|card| card.name != first.name) {
        return age;
    }
    let name = first.name.strip_prefix("NVIDIA ").unwrap_or(&first.name);
    vec![Span::styled(format!("{} × {name}", cards.len()), theme.style(Role::Dim))]
}

/// How old readings are that no longer hold.
pub fn age_note<'a>(freshness: Freshness, theme: &Theme) -> Vec<Span<'a>> {
    match freshness {
        Freshness::Fresh => Vec::new(),
        Freshness::Never => vec![Span::styled("no reading yet", theme.style(Role::Dim))],
        Freshness::Stale(age) => {
            vec![Span::styled(
                format!("stale: {} old", format::duration_text(age)),
                theme.style(Role::Warning),
            )]
        }
    }
}

/// A reason, in as many lines as it takes.
pub fn draw_reason(reason: &str, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    for (line, text) in wrap_text(reason, usize::from(area.width)).iter().enumerate() {
        TextWriter::new(buffer, area, line as u16).put(text, theme.style(Role::Dim));
    }
}

/// As much of each card as there is room for all, and a line for those that do nothing.
pub(in crate::tui::view) fn draw_cards(cards: &Cards<'_>, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let Cards { order, views } = cards;
    let size = order.size_in(area.height);
    // Without room for all, the last line names the others.
    let shown = if order.line_count(size) > area.height {
        usize::from(area.height.saturating_sub(1) / size.line_count())
    } else {
        views.len()
    };
    let columns = GpuColumns::for_width(views, area.width);
    let mut y = area.y;
    for view in views.iter().take(shown) {
        let place = Rect { y, height: size.line_count(), ..area }.intersection(area);
        y = y.saturating_add(size.line_count());
        match size {
            CardSize::Tall => view.draw_tall(place, buffer),
            CardSize::Middle => view.draw_middle(&columns, place, buffer),
            CardSize::Row => view.draw_row(&columns, Paint::Grade, TextWriter::new(buffer, place, 0)),
        }
    }
    let more: Vec<GpuIndex> = order.shown.iter().skip(shown).map(|card| card.index).collect();
    let line = Rect { y, height: 1, ..area }.intersection(area);
    TextWriter::new(buffer, line, 0).put(&folded_text(&more, &order.idle, theme), theme.style(Role::Dim));
}

/// Counts in the lower edge of a frame what is above and below in it, where anything is.
pub(in crate::tui::view) fn draw_hidden(
    above: usize,
    below: usize,
    theme: &Theme,
    frame: Rect,
    buffer: &mut Buffer,
) {
    if above == 0 && below == 0 {
        return;
    }
    let text = format!(" {} {} ", theme.glyphs.up_down, hidden_text(above, below));
    let room = text_width(&text).min(frame.width);
    let x = frame.right().saturating_sub(room + 2).max(frame.x);
    let corner = Rect { x, y: frame.bottom().saturating_sub(1), width: room, height: 1 };
    TextWriter::new(buffer, corner, 0).put(&text, theme.style(Role::Key));
}

/// Counts what a list does not show, such as `2 above, 5 below`.
pub(in crate::tui::view) fn hidden_text(above: usize, below: usize) -> String {
    let parts = [(above, "above"), (below, "below")].into_iter().filter(|(count, _)| *count > 0);
    parts.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

/// `3 more: 1, 4, 6 · 2 idle: 5, 7`.
pub(in crate::tui::view) fn folded_text(more: &[GpuIndex], idle: &[GpuIndex], theme: &Theme) -> String {
    let named = |gpus: &[GpuIndex], word: &str| {
        let numbers: Vec<String> = gpus.iter().map(GpuIndex::to_string).collect();
        (!gpus.is_empty()).then(|| format!("{} {word}: {}", gpus.len(), numbers.join(", ")))
    };
    let parts: Vec<String> = [named(more, "more"), named(idle, "idle")].into_iter().flatten().collect();
    parts.join(&format!(" {} ", theme.glyphs.dot))
}
