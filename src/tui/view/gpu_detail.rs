//! One GPU in full: who holds its memory, with processes, its gauges against their limits, its clocks, and everything
//! that must be said of it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::bar;
use super::gpu_card::{Card, busy_part, power_part};
use super::text::Writer;
use crate::model::sample::GpuSample;
use crate::model::shortage::{Shortage, Stranger};
use crate::model::units::Bytes;
use crate::tui::format::{self, or_unknown};
use crate::tui::theme::role::Role;

/// Name, memory, what is free, power, temperature, utilisation, clocks, and a blank line.
const FIXED: usize = 8;

/// Somebody who holds memory of the card.
struct Holder {
    sign: &'static str,
    style: Style,
    name: String,
    held: Option<Bytes>,
    more: String,
}

impl Card<'_> {
    /// How many lines [`Self::full`] takes.
    pub(super) fn lines_in_full(&self) -> u16 {
        (FIXED + self.holders().len() + self.remarks.len()) as u16
    }

    /// Everything that is known of it.
    pub(super) fn full(&self, area: Rect, buffer: &mut Buffer) {
        let (strong, dim) = (self.theme.style(Role::Strong), self.theme.style(Role::Dim));
        let mut name = Writer::new(buffer, area, 0);
        name.put(&self.card.index.to_string(), strong).skip(1).put(&self.card.name, strong);
        self.memory(Writer::new(buffer, area, 1).put("VRAM  ", dim));
        let mut line = 2;
        for holder in self.holders() {
            self.holder(&holder, Writer::new(buffer, area, line));
            line += 1;
        }
        self.free(Writer::new(buffer, area, line));
        let power = bar::gauge(self.newest().and_then(power_part), self.theme);
        let heat =
            self.theme.style(if self.heat() == Role::GaugeHigh { Role::GaugeHigh } else { Role::Gauge });
        let busy = self.theme.style(Role::Gauge);
        let slowdown = self.card.slowdown_c.map_or(100.0, f64::from);
        let warmth = |sample: &GpuSample| Some(sample.temperature_c? / slowdown);
        self.gauge("power ", self.power(), power, power_part, Writer::new(buffer, area, line + 1));
        self.gauge("temp  ", self.temperature_of(), heat, warmth, Writer::new(buffer, area, line + 2));
        self.gauge("util  ", self.utilization(), busy, busy_part, Writer::new(buffer, area, line + 3));
        self.clocks(Writer::new(buffer, area, line + 4));
        for (number, remark) in self.remarks.iter().enumerate() {
            let mut writer = Writer::new(buffer, area, line + 5 + number as u16);
            let room = writer.room();
            writer.field(&remark.text, room, self.theme.style(remark.role), self.theme.glyphs.ellipsis);
        }
    }

    fn holder(&self, holder: &Holder, mut writer: Writer<'_>) {
        let dim = self.theme.style(Role::Dim);
        writer.skip(6).put(holder.sign, holder.style).skip(1);
        let names = writer.room().saturating_sub(12).min(24);
        writer.field(&holder.name, names, self.theme.style(Role::Text), self.theme.glyphs.ellipsis).skip(1);
        writer
            .right(&or_unknown(holder.held, |held| held.to_string()), 10, self.theme.style(self.age()))
            .skip(2);
        let room = writer.room();
        writer.field(&holder.more, room, dim, self.theme.glyphs.ellipsis);
    }

    /// The shards on it and everybody else.
    fn holders(&self) -> Vec<Holder> {
        let mut holders = Vec::new();
        let mut known = 0;
        for (position, reading) in self.model.readings().enumerate() {
            let phase = &reading.state.phase;
            if !phase.kind().is_active() || !phase.gpus().contains(&self.card.index) {
                continue;
            }
            let sample = reading.sample();
            let alone = phase.gpus().len() == 1;
            let held = sample.and_then(|sample| sample.vram_bytes);
            // Only memory on this card alone is in its bar; signs go on in the order of the bar.
            let sign = self.theme.glyphs.memory[if alone { known % 2 } else { 0 }];
            known += usize::from(alone && held.is_some_and(|held| held.0 > 0));
            let mut more: Vec<String> = Vec::new();
            more.extend(phase.live().and_then(|live| live.pid).map(|pid| format!("pid {pid}")));
            more.extend(
                sample.map(|sample| format::plural_with(sample.processes as usize, "process", "processes")),
            );
            more.extend(reading.cpu().map(|cpu| format!("CPU {}", format::percent(cpu))));
            if !alone {
                more.push(format!("on {} GPUs", phase.gpus().len()));
            }
            let style = self.theme.series(position);
            holders.push(Holder {
                sign,
                style,
                name: reading.state.id.to_string(),
                held,
                more: more.join(", "),
            });
        }
        holders.push(self.others());
        holders
    }

    /// What shards do not account for.
    fn others(&self) -> Holder {
        let alone: u64 =
            super::gpu_card::tenants(self.model, self.card.index).iter().map(|(_, held)| held.0).sum();
        let used = self.newest().and_then(|sample| sample.vram_used_bytes);
        let held = used.map(|used| Bytes(used.0.saturating_sub(alone)));
        let more = self.stranger().map(|stranger| {
            let name = stranger.name.as_deref().unwrap_or("a process");
            format!("{name}, pid {}, {}", stranger.pid, stranger.vram)
        });
        Holder {
            sign: self.theme.glyphs.memory_other,
            style: self.theme.style(Role::MemoryOther),
            name: "others".to_owned(),
            held,
            more: more.unwrap_or_default(),
        }
    }

    /// The largest process of others, where the supervisor has told one.
    fn stranger(&self) -> Option<&Stranger> {
        let groups = self.model.machine.waiting.iter().flat_map(|waiting| &waiting.shortages);
        let rooms = groups.filter_map(|group| match &group.short_of {
            Shortage::Vram { gpus, .. } => Some(gpus),
            Shortage::Alone { .. }
            | Shortage::Measured { .. }
            | Shortage::Gpus { .. }
            | Shortage::Cores { .. }
            | Shortage::Ram { .. }
            | Shortage::Turn { .. } => None,
        });
        rooms.flatten().find(|room| room.gpu == self.card.index)?.stranger.as_ref()
    }

    fn free(&self, mut writer: Writer<'_>) {
        let used = self.newest().and_then(|sample| sample.vram_used_bytes);
        let free = self.total().zip(used).map(|(total, used)| Bytes(total.0.saturating_sub(used.0)));
        let holder = Holder {
            sign: self.theme.glyphs.memory_free,
            style: self.theme.style(Role::Track),
            name: "free".to_owned(),
            held: free,
            more: String::new(),
        };
        writer.skip(0);
        self.holder(&holder, writer);
    }

    fn clocks(&self, mut writer: Writer<'_>) {
        let dim = self.theme.style(Role::Dim);
        let newest = self.newest();
        let clock = |value: Option<f64>| or_unknown(value, |value| format!("{value:.0} MHz"));
        let cores = clock(newest.and_then(|sample| sample.clock_sm_mhz));
        let memory = clock(newest.and_then(|sample| sample.clock_memory_mhz));
        writer.put("clock ", dim).put(&format!("SM {cores}, memory {memory}"), self.theme.style(self.age()));
        let throttle = newest.and_then(|sample| sample.throttle);
        let told = match throttle {
            Some(throttle) if throttle.is_none() => "not throttled".to_owned(),
            Some(throttle) => {
                let reasons: Vec<&str> = throttle.reasons().map(|reason| reason.words()).collect();
                format!("throttled by {}", reasons.join(", "))
            }
            None => format!("throttle reasons {}", self.theme.glyphs.unknown),
        };
        let room = writer.room().saturating_sub(2);
        writer.skip(2).field(&told, room, dim, self.theme.glyphs.ellipsis);
    }
}
