//! One GPU: whose memory it is, utilisation, power and temperature with their recent past, and tags next to them.

use std::collections::VecDeque;

use jiff::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::tenants::CardTenants;
use crate::model::machine::sample::{GpuCard, GpuSample};
use crate::model::sweep::node_spec::NodeId;
use crate::model::units::{Bytes, or_unknown};
use crate::tui::format;
use crate::tui::model::hardware::gpu_remarks::{GpuRemark, collect_remarks};
use crate::tui::model::hardware::gpu_tags::{GpuTag, collect_tags};
use crate::tui::model::hardware::machine::{Freshness, MachineHistory};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::bar;
use crate::tui::view::panes::text::{TextWriter, text_width};

/// Least width of the figures after bars that are drawn one below the other, so that the bars end together.
const LEAST_NUMBER: usize = 13;

/// Empty history of a GPU that has not been read yet.
static NOTHING: VecDeque<GpuSample> = VecDeque::new();

/// A GPU as it is drawn.
pub(in crate::tui::view) struct CardView<'a> {
    pub(in crate::tui::view) theme: &'a Theme,
    /// The node whose card it is; none for one of the machine of the run.
    pub(in crate::tui::view) node: Option<&'a NodeId>,
    pub(in crate::tui::view) card: &'a GpuCard,
    pub(in crate::tui::view) history: &'a VecDeque<GpuSample>,
    pub(in crate::tui::view) freshness: Freshness,
    pub(in crate::tui::view) tenants: CardTenants,
    pub(in crate::tui::view) tags: Vec<GpuTag>,
    pub(in crate::tui::view) remarks: Vec<GpuRemark>,
}

/// Meaning of the colours in a memory bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui::view) enum Paint {
    /// The tenant that holds the memory.
    Tenants,
    /// How full it is.
    Grade,
}

/// A measure of a GPU that has a past.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui::view) enum TrendMeasure {
    Utilization,
    Power,
    Heat,
}

impl TrendMeasure {
    pub(in crate::tui::view) fn label(self) -> &'static str {
        match self {
            Self::Utilization => "util",
            Self::Power => "power",
            Self::Heat => "temp",
        }
    }

    /// The part of its limit, 0 to 1.
    fn limit_fraction(self, sample: &GpuSample, card: &GpuCard) -> Option<f64> {
        match self {
            Self::Utilization => sample.busy_part(),
            Self::Power => sample.power_part(),
            Self::Heat => sample.heat_part(card),
        }
    }

    /// A GPU that is busy all the time is what it should be; one near its other limits is worth a look.
    fn gauge_style(self, part: f64, theme: &Theme) -> Style {
        match self {
            Self::Utilization => theme.load_style(part),
            Self::Power | Self::Heat => theme.grade_style(part),
        }
    }
}

impl<'a> CardView<'a> {
    /// Builds the card of one GPU of a machine, with the tenants that hold its memory.
    pub(in crate::tui::view) fn new(
        (node, machine): (Option<&'a NodeId>, &'a MachineHistory),
        card: &'a GpuCard,
        tenants: CardTenants,
        theme: &'a Theme,
        now: Timestamp,
    ) -> Self {
        Self {
            theme,
            node,
            card,
            history: machine.gpus.get(&card.index).unwrap_or(&NOTHING),
            freshness: machine.gpu_freshness_of(card.index, now),
            tenants,
            tags: collect_tags(machine, card.index, now),
            remarks: collect_remarks(machine, card.index, now),
        }
    }
}

impl CardView<'_> {
    /// In four lines: who it is, and each measure but the temperature with its past.
    pub(in crate::tui::view) fn draw_tall(&self, area: Rect, buffer: &mut Buffer) {
        self.draw_name(&self.temperature_of(), TextWriter::new(buffer, area, 0));
        self.draw_memory(TextWriter::new(buffer, area, 1).put("VRAM  ", self.theme.style(Role::Dim)));
        self.draw_gauge(TrendMeasure::Utilization, TextWriter::new(buffer, area, 2));
        self.draw_gauge(TrendMeasure::Power, TextWriter::new(buffer, area, 3));
    }

    /// Its number and name, its tags, and its temperature where no gauge shows it.
    pub(in crate::tui::view) fn draw_name(&self, heat: &str, mut writer: TextWriter<'_>) {
        let strong = self.theme.style(Role::Strong);
        if let Some(node) = self.node {
            writer.put(node.as_str(), self.theme.style(Role::Name)).skip(1);
        }
        writer.put(&self.card.index.to_string(), strong).skip(1);
        let tags: u16 = self.tags.iter().map(|tag| text_width(&tag.full) + 2).sum();
        let room = writer.room().saturating_sub(text_width(heat) + 2 + tags);
        // All cards here are NVIDIA's; the model is more precise.
        let model = self.card.name.strip_prefix("NVIDIA ").unwrap_or(&self.card.name);
        let name = if text_width(&self.card.name) > room { model } else { &self.card.name };
        writer.put_field(name, room, strong, self.theme.glyphs.ellipsis);
        for tag in &self.tags {
            writer.skip(2).put(&tag.full, self.theme.style(tag.role));
        }
        let room = writer.room();
        let part = self.newest_sample().and_then(|sample| sample.heat_part(self.card));
        writer.put_right(heat, room, self.figure_style(part));
    }

    /// Figures that are old are still shown, and look like it.
    pub(in crate::tui::view) fn age_role(&self) -> Role {
        match self.freshness {
            Freshness::Fresh => Role::Text,
            Freshness::Stale(_) | Freshness::Never => Role::Dim,
        }
    }

    /// The style of a figure that is this part of its limit.
    pub(in crate::tui::view) fn figure_style(&self, part: Option<f64>) -> Style {
        match self.freshness {
            Freshness::Fresh => self.theme.graded_text(part),
            Freshness::Stale(_) | Freshness::Never => self.theme.style(Role::Dim),
        }
    }

    pub(in crate::tui::view) fn newest_sample(&self) -> Option<&GpuSample> {
        self.history.back()
    }

    pub(in crate::tui::view) fn total_memory(&self) -> Option<Bytes> {
        self.newest_sample().and_then(|sample| sample.vram_total_bytes).or(self.card.vram_total)
    }

    /// The bar of the VRAM and its figures.
    pub(in crate::tui::view) fn draw_memory(&self, writer: &mut TextWriter<'_>) {
        let text = format!(" {:>LEAST_NUMBER$}", self.memory_text());
        let bar = writer.room().saturating_sub(text_width(&text));
        self.memory_bar(bar, Paint::Tenants, writer);
        let part = self.newest_sample().and_then(|sample| sample.vram_part(self.card));
        writer.put(&text, self.figure_style(part));
    }

    /// Tenants one after the other, then everybody else, then what is free; blank where nothing is known.
    pub(in crate::tui::view) fn memory_bar(&self, width: u16, paint: Paint, writer: &mut TextWriter<'_>) {
        let used = self.newest_sample().and_then(|sample| sample.vram_used_bytes);
        let Some((used, total)) = used.zip(self.total_memory().filter(|total| total.0 > 0)) else {
            writer.skip(width);
            return;
        };
        let glyphs = &self.theme.glyphs;
        let mut parts: Vec<(u64, &str, Style)> = Vec::new();
        for (number, (bytes, style)) in self.tenants.in_bar().enumerate() {
            parts.push((bytes.0, glyphs.memory[number % 2], style));
        }
        let known: u64 = parts.iter().map(|(bytes, ..)| bytes).sum();
        let others = self.theme.style(Role::MemoryOther);
        parts.push((used.0.saturating_sub(known), glyphs.memory_other, others));
        let (mut drawn, mut sum) = (0, 0);
        for (bytes, sign, style) in parts {
            sum += bytes;
            let until = (sum as f64 / total.0 as f64 * f64::from(width)).round().min(f64::from(width)) as u16;
            for cell in drawn..until.max(drawn) {
                let style = match paint {
                    Paint::Tenants => style,
                    Paint::Grade => self.theme.grade_style((f64::from(cell) + 0.5) / f64::from(width)),
                };
                writer.put(sign, style);
            }
            drawn = until.max(drawn);
        }
        for _ in drawn..width {
            writer.put(glyphs.memory_free, self.theme.style(Role::Track));
        }
    }

    /// A measure with its past and its figure.
    pub(in crate::tui::view) fn draw_gauge(&self, measure: TrendMeasure, mut writer: TextWriter<'_>) {
        writer.put(&format!("{:<6}", measure.label()), self.theme.style(Role::Dim));
        let (number, figure) = match measure {
            TrendMeasure::Utilization => (self.utilization_text(), None),
            TrendMeasure::Power | TrendMeasure::Heat => {
                let text =
                    if measure == TrendMeasure::Power { self.power_text() } else { self.temperature_of() };
                (text, self.newest_sample().and_then(|sample| measure.limit_fraction(sample, self.card)))
            }
        };
        let number = format!(" {number:>LEAST_NUMBER$}");
        let room = writer.room().saturating_sub(text_width(&number));
        self.draw_history(measure, room, &mut writer);
        writer.put(&number, self.figure_style(figure));
    }

    /// The recent past of a measure.
    pub(in crate::tui::view) fn draw_history(
        &self,
        measure: TrendMeasure,
        room: u16,
        writer: &mut TextWriter<'_>,
    ) {
        let readings =
            self.history.iter().map(|sample| (sample.timestamp, measure.limit_fraction(sample, self.card)));
        bar::draw_history(writer, room, readings, |part| measure.gauge_style(part, self.theme), self.theme);
    }

    pub(in crate::tui::view) fn memory_text(&self) -> String {
        format::memory_of(self.newest_sample().and_then(|sample| sample.vram_used_bytes), self.total_memory())
    }

    /// Returns the temperature, followed by the one at which the GPU slows itself down.
    pub(in crate::tui::view) fn temperature_of(&self) -> String {
        let celsius = self.theme.glyphs.celsius;
        let value = self.newest_sample().and_then(|sample| sample.temperature_c);
        match value.zip(self.card.slowdown_c) {
            Some((value, slowdown)) => format!("{value:.0}/{slowdown} {celsius}"),
            None => or_unknown(value, |value| format!("{value:.0} {celsius}")),
        }
    }

    pub(in crate::tui::view) fn utilization_text(&self) -> String {
        or_unknown(self.newest_sample().and_then(|sample| sample.utilization_percent), format::format_percent)
    }

    pub(in crate::tui::view) fn power_text(&self) -> String {
        let sample = self.newest_sample();
        let watts = or_unknown(sample.and_then(|sample| sample.power_w), |value| format!("{value:.0}"));
        match sample.and_then(|sample| sample.power_cap_w) {
            Some(cap) => format!("{watts}/{cap:.0} W"),
            None => format!("{watts} W"),
        }
    }
}
