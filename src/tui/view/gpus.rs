//! The GPUs: whose memory it is, and power, temperature and utilisation with their recent past.

use std::collections::VecDeque;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::bar;
use super::pane;
use super::text::{Writer, width, wrap};
use crate::model::ids::GpuIndex;
use crate::model::sample::{GpuCard, GpuInventory, GpuSample};
use crate::model::units::Bytes;
use crate::tui::format::{self, or_unknown};
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

fn tell(reason: &str, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    for (line, text) in wrap(reason, usize::from(area.width)).iter().enumerate() {
        Writer::new(buffer, area, line as u16).put(text, theme.style(Role::Dim));
    }
}

fn draw_cards(model: &Model, theme: &Theme, cards: &[GpuCard], area: Rect, buffer: &mut Buffer) {
    let lines =
        [4, 2, 1].into_iter().find(|lines| cards.len() * lines <= usize::from(area.height)).unwrap_or(1);
    for (number, card) in cards.iter().enumerate() {
        let y = area.y + (number * lines) as u16;
        let place = Rect { y, height: lines as u16, ..area }.intersection(area);
        let empty = VecDeque::new();
        let history = model.machine.gpus.get(&card.index).unwrap_or(&empty);
        let view = Card { model, theme, card, history };
        match lines {
            4 => view.tall(place, buffer),
            2 => view.middle(place, buffer),
            _ => view.short(place, buffer),
        }
    }
}

struct Card<'a> {
    model: &'a Model,
    theme: &'a Theme,
    card: &'a GpuCard,
    history: &'a VecDeque<GpuSample>,
}

impl Card<'_> {
    fn tall(&self, area: Rect, buffer: &mut Buffer) {
        let (strong, dim) = (self.theme.style(Role::Strong), self.theme.style(Role::Dim));
        let mut name = Writer::new(buffer, area, 0);
        name.put(&self.card.index.to_string(), strong).skip(1).put(&self.card.name, strong);
        let room = name.room();
        name.right(&self.temperature(), room, self.theme.style(Role::Text));
        self.memory(Writer::new(buffer, area, 1).put("VRAM  ", dim));
        // A GPU at its power cap is held back; one that is busy all the time is what it should be.
        let power = bar::gauge(self.newest().and_then(power_part), self.theme);
        let busy = self.theme.style(Role::Gauge);
        self.gauge("power ", self.power(), power, power_part, Writer::new(buffer, area, 2));
        self.gauge("util  ", self.utilization(), busy, busy_part, Writer::new(buffer, area, 3));
    }

    fn middle(&self, area: Rect, buffer: &mut Buffer) {
        let (strong, dim) = (self.theme.style(Role::Strong), self.theme.style(Role::Dim));
        self.memory(Writer::new(buffer, area, 0).put(&self.card.index.to_string(), strong).skip(1));
        let mut writer = Writer::new(buffer, area, 1);
        writer.skip(width(&self.card.index.to_string()) + 1).put("util ", dim);
        let numbers = format!("{:>5}  {}  {}", self.utilization(), self.power(), self.temperature());
        let history = writer.room().saturating_sub(width(&numbers) + 1);
        let values = self.history.iter().map(busy_part);
        bar::history(&mut writer, history, values, self.theme.style(Role::Gauge), self.theme);
        let room = writer.room();
        writer.right(&numbers, room, self.theme.style(Role::Text));
    }

    fn short(&self, area: Rect, buffer: &mut Buffer) {
        let numbers = format!(" {:>4} {}", self.utilization(), self.temperature());
        let memory = Rect { width: area.width.saturating_sub(width(&numbers)), ..area };
        let mut writer = Writer::new(buffer, memory, 0);
        self.memory(writer.put(&self.card.index.to_string(), self.theme.style(Role::Strong)).skip(1));
        let rest = Rect { x: memory.right(), width: area.right() - memory.right(), ..area };
        Writer::new(buffer, rest, 0).put(&numbers, self.theme.style(Role::Text));
    }

    fn newest(&self) -> Option<&GpuSample> {
        self.history.back()
    }

    fn total(&self) -> Option<Bytes> {
        self.newest().and_then(|sample| sample.vram_total_bytes).or(self.card.vram_total)
    }

    /// The VRAM bar: shards in their colours, then everybody else, then what is free.
    fn memory(&self, writer: &mut Writer<'_>) {
        let used = self.newest().and_then(|sample| sample.vram_used_bytes);
        let text = format!(" {}", format::memory_of(used, self.total()));
        let bar = writer.room().saturating_sub(width(&text));
        if let (Some(used), Some(total)) = (used, self.total().filter(|total| total.0 > 0)) {
            self.memory_bar(used, total, bar, writer);
        } else {
            writer.skip(bar);
        }
        writer.put(&text, self.theme.style(Role::Text));
    }

    fn memory_bar(&self, used: Bytes, total: Bytes, width: u16, writer: &mut Writer<'_>) {
        let glyphs = &self.theme.glyphs;
        let mut parts: Vec<(u64, &str, Style)> = Vec::new();
        for (number, (position, bytes)) in tenants(self.model, self.card.index).into_iter().enumerate() {
            parts.push((bytes.0, glyphs.memory[number % 2], self.theme.series(position)));
        }
        let known: u64 = parts.iter().map(|(bytes, ..)| bytes).sum();
        parts.push((used.0.saturating_sub(known), glyphs.memory_other, self.theme.style(Role::MemoryOther)));
        let (mut drawn, mut sum) = (0, 0);
        for (bytes, sign, style) in parts {
            sum += bytes;
            let until = (sum as f64 / total.0 as f64 * f64::from(width)).round().min(f64::from(width)) as u16;
            for _ in drawn..until.max(drawn) {
                writer.put(sign, style);
            }
            drawn = until.max(drawn);
        }
        for _ in drawn..width {
            writer.put(glyphs.memory_free, self.theme.style(Role::Track));
        }
    }

    fn gauge(
        &self,
        label: &str,
        number: String,
        style: Style,
        part: impl Fn(&GpuSample) -> Option<f64>,
        mut writer: Writer<'_>,
    ) {
        writer.put(label, self.theme.style(Role::Dim));
        let number = format!(" {number:>11}");
        let room = writer.room().saturating_sub(width(&number));
        bar::history(&mut writer, room, self.history.iter().map(part), style, self.theme);
        writer.put(&number, self.theme.style(Role::Text));
    }

    fn temperature(&self) -> String {
        let celsius = self.theme.glyphs.celsius;
        let value = self.newest().and_then(|sample| sample.temperature_c);
        or_unknown(value, |value| format!("{value:.0} {celsius}"))
    }

    fn utilization(&self) -> String {
        or_unknown(self.newest().and_then(|sample| sample.utilization_percent), format::percent)
    }

    fn power(&self) -> String {
        let sample = self.newest();
        let watts = or_unknown(sample.and_then(|sample| sample.power_w), |value| format!("{value:.0}"));
        match sample.and_then(|sample| sample.power_cap_w) {
            Some(cap) => format!("{watts}/{cap:.0} W"),
            None => format!("{watts} W"),
        }
    }
}

/// Shards with memory on this GPU alone. What shards hold on several GPUs is known only in sum, so it stays with the
/// others.
fn tenants(model: &Model, gpu: GpuIndex) -> Vec<(usize, Bytes)> {
    let held = |(position, reading): (usize, crate::tui::model::readings::Reading<'_>)| {
        let alone = reading.state.phase.gpus() == [gpu];
        let bytes = reading.sample()?.vram_bytes.filter(|bytes| bytes.0 > 0)?;
        alone.then_some((position, bytes))
    };
    model.readings().enumerate().filter_map(held).collect()
}

fn power_part(sample: &GpuSample) -> Option<f64> {
    Some(sample.power_w? / sample.power_cap_w.filter(|cap| *cap > 0.0)?)
}

fn busy_part(sample: &GpuSample) -> Option<f64> {
    Some(sample.utilization_percent? / 100.0)
}
