//! One GPU: whose memory it is, power, temperature and utilisation with their recent past, and what must be said of it.

use std::collections::VecDeque;

use jiff::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::bar;
use super::tenants::Tenants;
use super::text::{Writer, width};
use crate::model::sample::{GpuCard, GpuSample};
use crate::model::units::Bytes;
use crate::tui::format::{self, or_unknown};
use crate::tui::model::gpu_remarks::{Remark, remarks};
use crate::tui::model::machine::{Freshness, Machine};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// This near to the temperature at which a GPU slows itself down, a few minutes of load decide.
const NEAR_SLOWDOWN_C: f64 = 3.0;

/// No reading yet.
static NOTHING: VecDeque<GpuSample> = VecDeque::new();

/// One GPU as it is drawn.
pub(super) struct Card<'a> {
    pub(super) theme: &'a Theme,
    pub(super) card: &'a GpuCard,
    pub(super) history: &'a VecDeque<GpuSample>,
    pub(super) freshness: Freshness,
    pub(super) tenants: Tenants,
    pub(super) remarks: Vec<Remark>,
}

impl<'a> Card<'a> {
    /// What a machine says of one of its GPUs, with those who hold its memory.
    pub(super) fn new(
        machine: &'a Machine,
        card: &'a GpuCard,
        tenants: Tenants,
        theme: &'a Theme,
        now: Timestamp,
    ) -> Self {
        Self {
            theme,
            card,
            history: machine.gpus.get(&card.index).unwrap_or(&NOTHING),
            freshness: machine.gpu_freshness_of(card.index, now),
            tenants,
            remarks: remarks(machine, card.index, now),
        }
    }
}

impl Card<'_> {
    /// In four lines, and a fifth where something must be said.
    pub(super) fn tall(&self, area: Rect, buffer: &mut Buffer) {
        let (strong, dim) = (self.theme.style(Role::Strong), self.theme.style(Role::Dim));
        let mut name = Writer::new(buffer, area, 0);
        name.put(&self.card.index.to_string(), strong).skip(1).put(&self.card.name, strong);
        let room = name.room();
        name.right(&self.temperature_of(), room, self.theme.style(self.heat()));
        self.memory(Writer::new(buffer, area, 1).put("VRAM  ", dim));
        // A GPU at its power cap is held back; one that is busy all the time is what it should be.
        let power = bar::gauge(self.newest().and_then(power_part), self.theme);
        let busy = self.theme.style(Role::Gauge);
        self.gauge("power ", self.power(), power, power_part, Writer::new(buffer, area, 2));
        self.gauge("util  ", self.utilization(), busy, busy_part, Writer::new(buffer, area, 3));
        self.remark(&mut Writer::new(buffer, area, 4));
    }

    /// In two lines.
    pub(super) fn middle(&self, area: Rect, buffer: &mut Buffer) {
        let (strong, dim) = (self.theme.style(Role::Strong), self.theme.style(Role::Dim));
        self.memory(Writer::new(buffer, area, 0).put(&self.card.index.to_string(), strong).skip(1));
        let mut writer = Writer::new(buffer, area, 1);
        writer.skip(width(&self.card.index.to_string()) + 1);
        if !self.remarks.is_empty() {
            self.remark(&mut writer);
            return;
        }
        writer.put("util ", dim);
        let numbers = format!("{:>5}  {}  {}", self.utilization(), self.power(), self.temperature());
        let history = writer.room().saturating_sub(width(&numbers) + 1);
        let values = self.history.iter().map(busy_part);
        bar::history(&mut writer, history, values, self.theme.style(Role::Gauge), self.theme);
        let room = writer.room();
        writer.right(&numbers, room, self.theme.style(self.age()));
    }

    /// In one line.
    pub(super) fn short(&self, area: Rect, buffer: &mut Buffer) {
        let numbers = format!(" {:>4} {}", self.utilization(), self.temperature());
        let memory = Rect { width: area.width.saturating_sub(width(&numbers)), ..area };
        let mut writer = Writer::new(buffer, memory, 0);
        writer.put(&self.card.index.to_string(), self.theme.style(Role::Strong)).skip(1);
        // In one line there is room for the memory or for what must be known before.
        if self.remarks.iter().any(|remark| remark.role == Role::Failed) {
            self.remark(&mut writer);
        } else {
            self.memory(&mut writer);
        }
        let rest = Rect { x: memory.right(), width: area.right() - memory.right(), ..area };
        Writer::new(buffer, rest, 0).put(&numbers, self.theme.style(self.age()));
    }

    /// All remarks in what is left of a line, the gravest first.
    fn remark(&self, writer: &mut Writer<'_>) {
        let Some(first) = self.remarks.first() else { return };
        let texts: Vec<&str> = self.remarks.iter().map(|remark| remark.text.as_str()).collect();
        let room = writer.room();
        writer.field(
            &texts.join(&format!(" {} ", self.theme.glyphs.dot)),
            room,
            self.theme.style(first.role),
            self.theme.glyphs.ellipsis,
        );
    }

    /// Figures that are old are still shown, and look like it.
    pub(super) fn age(&self) -> Role {
        match self.freshness {
            Freshness::Fresh => Role::Text,
            Freshness::Stale(_) | Freshness::Never => Role::Dim,
        }
    }

    /// Loud near the temperature at which the GPU slows itself down.
    pub(super) fn heat(&self) -> Role {
        let margin = self.newest().and_then(|sample| sample.slowdown_margin_c);
        if margin.is_some_and(|margin| margin <= NEAR_SLOWDOWN_C) { Role::GaugeHigh } else { self.age() }
    }

    pub(super) fn newest(&self) -> Option<&GpuSample> {
        self.history.back()
    }

    pub(super) fn total(&self) -> Option<Bytes> {
        self.newest().and_then(|sample| sample.vram_total_bytes).or(self.card.vram_total)
    }

    /// The VRAM bar: tenants in their colours, then everybody else, then what is free.
    pub(super) fn memory(&self, writer: &mut Writer<'_>) {
        let used = self.newest().and_then(|sample| sample.vram_used_bytes);
        let text = format!(" {}", format::memory_of(used, self.total()));
        let bar = writer.room().saturating_sub(width(&text));
        if let (Some(used), Some(total)) = (used, self.total().filter(|total| total.0 > 0)) {
            self.memory_bar(used, total, bar, writer);
        } else {
            writer.skip(bar);
        }
        writer.put(&text, self.theme.style(self.age()));
    }

    fn memory_bar(&self, used: Bytes, total: Bytes, width: u16, writer: &mut Writer<'_>) {
        let glyphs = &self.theme.glyphs;
        let mut parts: Vec<(u64, &str, Style)> = Vec::new();
        for (number, (bytes, style)) in self.tenants.in_bar().enumerate() {
            parts.push((bytes.0, glyphs.memory[number % 2], style));
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

    pub(super) fn gauge(
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
        writer.put(&number, self.theme.style(self.age()));
    }

    fn temperature(&self) -> String {
        let celsius = self.theme.glyphs.celsius;
        let value = self.newest().and_then(|sample| sample.temperature_c);
        or_unknown(value, |value| format!("{value:.0} {celsius}"))
    }

    /// Beside the temperature at which it slows itself down.
    pub(super) fn temperature_of(&self) -> String {
        let celsius = self.theme.glyphs.celsius;
        let value = self.newest().and_then(|sample| sample.temperature_c);
        match value.zip(self.card.slowdown_c) {
            Some((value, slowdown)) => format!("{value:.0}/{slowdown} {celsius}"),
            None => self.temperature(),
        }
    }

    pub(super) fn utilization(&self) -> String {
        or_unknown(self.newest().and_then(|sample| sample.utilization_percent), format::percent)
    }

    pub(super) fn power(&self) -> String {
        let sample = self.newest();
        let watts = or_unknown(sample.and_then(|sample| sample.power_w), |value| format!("{value:.0}"));
        match sample.and_then(|sample| sample.power_cap_w) {
            Some(cap) => format!("{watts}/{cap:.0} W"),
            None => format!("{watts} W"),
        }
    }
}

pub(super) fn power_part(sample: &GpuSample) -> Option<f64> {
    Some(sample.power_w? / sample.power_cap_w.filter(|cap| *cap > 0.0)?)
}

pub(super) fn busy_part(sample: &GpuSample) -> Option<f64> {
    Some(sample.utilization_percent? / 100.0)
}
