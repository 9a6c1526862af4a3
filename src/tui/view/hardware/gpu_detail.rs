//! One GPU in full: who holds its memory, with processes, its gauges against their limits, its clocks, and everything
//! that must be known of it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::gpu_card::{CardView, TrendMeasure};
use crate::model::units::{Bytes, or_unknown};
use crate::tui::theme::role::Role;
use crate::tui::view::panes::text::TextWriter;

/// Name, memory, what is free, utilisation, power, temperature, clocks, and a blank line.
const FIXED: usize = 8;

/// A line about one holder of the card's memory.
struct Holder<'a> {
    sign: &'static str,
    style: Style,
    name: &'a str,
    held: Option<Bytes>,
    more: &'a str,
}

impl CardView<'_> {
    /// How many lines [`Self::draw_full`] takes.
    pub(in crate::tui::view) fn lines_in_full(&self) -> u16 {
        (FIXED + self.tenants.each.len() + 1 + self.remarks.len()) as u16
    }

    /// Everything that is known of it.
    pub(in crate::tui::view) fn draw_full(&self, area: Rect, buffer: &mut Buffer) {
        self.draw_name("", TextWriter::new(buffer, area, 0));
        self.draw_memory(TextWriter::new(buffer, area, 1).put("VRAM  ", self.theme.style(Role::Dim)));
        let mut line = 2;
        for holder in self.memory_holders() {
            self.draw_holder(&holder, TextWriter::new(buffer, area, line));
            line += 1;
        }
        self.draw_free(TextWriter::new(buffer, area, line));
        for (number, measure) in
            (1..).zip([TrendMeasure::Utilization, TrendMeasure::Power, TrendMeasure::Heat])
        {
            self.draw_gauge(measure, TextWriter::new(buffer, area, line + number));
        }
        self.draw_clocks(TextWriter::new(buffer, area, line + 4));
        for (number, remark) in self.remarks.iter().enumerate() {
            let mut writer = TextWriter::new(buffer, area, line + 5 + number as u16);
            let room = writer.room();
            writer.put_field(&remark.text, room, self.theme.style(remark.role), self.theme.glyphs.ellipsis);
        }
    }

    fn draw_holder(&self, holder: &Holder<'_>, mut writer: TextWriter<'_>) {
        let dim = self.theme.style(Role::Dim);
        writer.skip(6).put(holder.sign, holder.style).skip(1);
        let names = writer.room().saturating_sub(12).min(24);
        writer
            .put_field(holder.name, names, self.theme.style(Role::Text), self.theme.glyphs.ellipsis)
            .skip(1);
        writer
            .put_right(
                &or_unknown(holder.held, |held| held.to_string()),
                10,
                self.theme.style(self.age_role()),
            )
            .skip(2);
        let room = writer.room();
        writer.put_field(holder.more, room, dim, self.theme.glyphs.ellipsis);
    }

    /// The tenants and everybody else.
    fn memory_holders(&self) -> impl Iterator<Item = Holder<'_>> {
        let mut known = 0;
        let tenants = self.tenants.each.iter().map(move |tenant| {
            // Signs go on in the order of the bar.
            let sign = self.theme.glyphs.memory[if tenant.is_here_only { known % 2 } else { 0 }];
            known += usize::from(tenant.is_in_bar());
            let (name, more) = (tenant.name.as_str(), tenant.more.as_str());
            Holder { sign, style: tenant.style, name, held: tenant.held, more }
        });
        tenants.chain([self.other_memory()])
    }

    /// Returns the used memory that the tenants do not account for.
    fn other_memory(&self) -> Holder<'_> {
        let known: u64 = self.tenants.in_bar().map(|(held, _)| held.0).sum();
        let used = self.newest_sample().and_then(|sample| sample.vram_used_bytes);
        Holder {
            sign: self.theme.glyphs.memory_other,
            style: self.theme.style(Role::MemoryOther),
            name: self.tenants.others,
            held: used.map(|used| Bytes(used.0.saturating_sub(known))),
            more: &self.tenants.of_others,
        }
    }

    fn draw_free(&self, writer: TextWriter<'_>) {
        let used = self.newest_sample().and_then(|sample| sample.vram_used_bytes);
        let free = self.total_memory().zip(used).map(|(total, used)| Bytes(total.0.saturating_sub(used.0)));
        let holder = Holder {
            sign: self.theme.glyphs.memory_free,
            style: self.theme.style(Role::Track),
            name: "free",
            held: free,
            more: "",
        };
        self.draw_holder(&holder, writer);
    }

    fn draw_clocks(&self, mut writer: TextWriter<'_>) {
        let dim = self.theme.style(Role::Dim);
        let newest = self.newest_sample();
        let clock = |value: Option<f64>| or_unknown(value, |value| format!("{value:.0} MHz"));
        let cores = clock(newest.and_then(|sample| sample.clock_sm_mhz));
        let memory = clock(newest.and_then(|sample| sample.clock_memory_mhz));
        writer
            .put("clock ", dim)
            .put(&format!("SM {cores}, memory {memory}"), self.theme.style(self.age_role()));
        let throttle = newest.and_then(|sample| sample.throttle);
        let text = match throttle {
            Some(throttle) if throttle.is_none() => "not throttled".to_owned(),
            Some(throttle) => {
                let reasons: Vec<&str> = throttle.reasons().map(|reason| reason.as_text()).collect();
                format!("throttled: {}", reasons.join(", "))
            }
            None => format!("throttling {}", self.theme.glyphs.unknown),
        };
        let room = writer.room().saturating_sub(2);
        writer.skip(2).put_field(&text, room, dim, self.theme.glyphs.ellipsis);
    }
}
