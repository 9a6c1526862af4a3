//! The host: CPU and memory with their recent past.

use jiff::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use super::{gpus, past};
use crate::model::machine::sample::HostSample;
use crate::model::units::or_unknown;
use crate::tui::format;
use crate::tui::model::hardware::machine::MachineHistory;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::text::{TextWriter, text_width};
use crate::tui::view::panes::{bar, pane};

/// Draws it with its frame.
pub fn draw_host(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let until = past::until_note(model, theme);
    let note = until.clone().unwrap_or_else(|| host_note(&model.machine, model.now, theme));
    let inner = pane::draw_pane("Host", note, model.focus == Pane::Machine, theme, area, buffer);
    match until {
        Some(_) => past::draw_host_summary(&model.machine, theme, inner, buffer),
        None => draw_gauges(&model.machine, theme, inner, buffer),
    }
}

/// How old the readings are, or how many cores they are of.
pub(in crate::tui::view) fn host_note<'a>(
    machine: &MachineHistory,
    now: Timestamp,
    theme: &Theme,
) -> Vec<Span<'a>> {
    let mut note = gpus::age_note(machine.host_freshness(now), theme);
    if note.is_empty()
        && let Some(sample) = machine.host.back()
    {
        note.push(Span::styled(format::plural(sample.cores as usize, "core"), theme.style(Role::Dim)));
    }
    note
}

/// CPU and memory, in two lines.
pub(in crate::tui::view) fn draw_gauges(
    machine: &MachineHistory,
    theme: &Theme,
    inner: Rect,
    buffer: &mut Buffer,
) {
    let newest = machine.host.back();
    let cpu = or_unknown(newest.and_then(|sample| sample.cpu_percent), format::format_percent);
    let ram = or_unknown(newest, |sample| format::memory_of(sample.ram_used_bytes, sample.ram_total_bytes));
    let numbers = text_width(&cpu).max(text_width(&ram));
    draw_gauge(machine, theme, ("CPU   ", &cpu, numbers), cpu_part, TextWriter::new(buffer, inner, 0));
    draw_gauge(machine, theme, ("RAM   ", &ram, numbers), ram_part, TextWriter::new(buffer, inner, 1));
}

fn draw_gauge(
    machine: &MachineHistory,
    theme: &Theme,
    (label, number, numbers): (&str, &str, u16),
    part: fn(&HostSample) -> Option<f64>,
    mut writer: TextWriter<'_>,
) {
    writer.put(label, theme.style(Role::Dim));
    let room = writer.room().saturating_sub(numbers + 1);
    let readings = machine.host.iter().map(|sample| (sample.timestamp, part(sample)));
    bar::draw_history(&mut writer, room, readings, |part| theme.grade_style(part), theme);
    writer.skip(1).put_right(number, numbers, theme.graded_text(machine.host.back().and_then(part)));
}

fn cpu_part(sample: &HostSample) -> Option<f64> {
    Some(sample.cpu_percent? / 100.0)
}

fn ram_part(sample: &HostSample) -> Option<f64> {
    let total = sample.ram_total_bytes.filter(|total| total.0 > 0)?;
    Some(sample.ram_used_bytes?.0 as f64 / total.0 as f64)
}
