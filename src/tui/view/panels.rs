//! Which charts there are, the most telling first, with their lines scaled to 0 to 1.

use jiff::Timestamp;
use ratatui::style::Style;

use super::chart;
use crate::model::sample::{GpuCard, GpuSample, HostSample};
use crate::tui::format;
use crate::tui::model::course::Course;
use crate::tui::model::machine::Machine;
use crate::tui::model::screen::Model;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Moments and values.
pub(super) type Line = Vec<(Timestamp, f64)>;

/// One chart.
pub(super) struct Panel {
    /// What it shows.
    pub(super) title: String,
    /// Beside the title: the newest values, in the styles of their lines.
    pub(super) values: Vec<(String, Style)>,
    /// What its upper and its lower edge stand for.
    pub(super) labels: (String, String),
    /// Values of 0 to 1.
    pub(super) lines: Vec<(Line, Style)>,
}

/// All charts of a run.
pub(super) fn panels(model: &Model, theme: &Theme, times: (Timestamp, Timestamp)) -> Vec<Panel> {
    let mut panels = vec![progress(model, theme)];
    panels.extend(metric(model, theme, times));
    panels.extend(of_machine(&model.machine, theme));
    panels
}

/// The charts of the host: CPU and RAM.
pub(super) fn of_host(machine: &Machine, theme: &Theme) -> [Panel; 2] {
    let cpu = host(machine, theme, "CPU", |sample| Some(sample.cpu_percent? / 100.0));
    let ram = host(machine, theme, "RAM", |sample| {
        let total = sample.ram_total_bytes.filter(|total| total.0 > 0)?;
        Some(sample.ram_used_bytes?.0 as f64 / total.0 as f64)
    });
    [cpu, ram]
}

/// The charts of GPUs and host.
pub(super) fn of_machine(machine: &Machine, theme: &Theme) -> Vec<Panel> {
    let percent = |value: f64| format::percent(value * 100.0);
    let [cpu, ram] = of_host(machine, theme);
    if machine.gpu_courses.is_empty() {
        return vec![cpu, ram];
    }
    let busy = |sample: &GpuSample, _: &GpuCard| Some(sample.utilization_percent? / 100.0);
    let celsius = |value: f64| format!("{:.0}", value * 100.0);
    let heat = |sample: &GpuSample, _: &GpuCard| Some(sample.temperature_c? / 100.0);
    vec![
        gpus(machine, theme, "GPU use", percent, busy),
        gpus(machine, theme, "VRAM", percent, vram),
        cpu,
        gpus(machine, theme, "GPU power of its cap", percent, power),
        gpus(machine, theme, "GPU temperature", celsius, heat),
        ram,
    ]
}

fn whole() -> (String, String) {
    ("100%".to_owned(), "0%".to_owned())
}

fn progress(model: &Model, theme: &Theme) -> Panel {
    let lines = chart::lines(model, theme).into_iter().filter_map(|(position, style)| {
        let line = chart::points(model.reading(position)?);
        (!line.is_empty()).then_some((line, style))
    });
    let selected = model.selected().map(|reading| reading.state.id.to_string());
    let values = selected.map(|id| (id, theme.style(Role::ChartSelected))).into_iter().collect();
    Panel { title: "Progress".to_owned(), values, labels: whole(), lines: lines.collect() }
}

/// The chosen metric of the shards whose progress is drawn; none while no log has given one.
fn metric(model: &Model, theme: &Theme, times: (Timestamp, Timestamp)) -> Option<Panel> {
    let is_drawn = |name: &&String| model.tracks.iter().any(|track| track.courses.contains_key(*name));
    let names: Vec<&String> = model.metric_names.iter().filter(is_drawn).collect();
    let name = names.get(model.views.metric % names.len().max(1))?;
    let mut lines: Vec<(Line, Style)> = Vec::new();
    for (position, style) in chart::lines(model, theme) {
        let Some(reading) = model.reading(position) else { continue };
        let is_present = reading.track.attempt == reading.state.phase.attempt();
        let Some(course) = reading.track.courses.get(*name).filter(|_| is_present) else { continue };
        let inside = course.iter().filter(|(at, _)| *at >= times.0 && *at <= times.1).copied();
        lines.push((inside.collect(), style));
    }
    let all = || lines.iter().flat_map(|(line, _)| line.iter().map(|(_, value)| *value));
    let (low, high) = (all().reduce(f64::min)?, all().reduce(f64::max)?);
    let (low, high) = if low >= 0.0 && high <= 1.0 { (0.0, 1.0) } else { (low, high) };
    let range = if high > low { high - low } else { 1.0 };
    for (_, value) in lines.iter_mut().flat_map(|(line, _)| line.iter_mut()) {
        *value = (*value - low) / range;
    }
    let show = |value: f64| format::metric(name, value, None).replace(' ', "");
    let newest = model.selected().and_then(|reading| reading.metric(name));
    let number = names.iter().position(|other| other == name).unwrap_or(0) + 1;
    let mut values = vec![(format!("{number} of {}, a: another", names.len()), theme.style(Role::Dim))];
    values.extend(
        newest.map(|value| (format::metric(name, value, model.unit(name)), theme.style(Role::ChartSelected))),
    );
    Some(Panel { title: (*name).clone(), values, labels: (show(high), show(low)), lines })
}

fn vram(sample: &GpuSample, card: &GpuCard) -> Option<f64> {
    let total = sample.vram_total_bytes.or(card.vram_total).filter(|total| total.0 > 0)?;
    Some(sample.vram_used_bytes?.0 as f64 / total.0 as f64)
}

fn power(sample: &GpuSample, _: &GpuCard) -> Option<f64> {
    Some(sample.power_w? / sample.power_cap_w.filter(|cap| *cap > 0.0)?)
}

/// One line for each GPU.
fn gpus(
    machine: &Machine,
    theme: &Theme,
    title: &str,
    show: impl Fn(f64) -> String,
    part: impl Fn(&GpuSample, &GpuCard) -> Option<f64>,
) -> Panel {
    let (mut lines, mut values) = (Vec::new(), Vec::new());
    let cards = machine.inventory.as_ref().map_or(&[][..], |inventory| inventory.cards());
    for (number, (gpu, course)) in machine.gpu_courses.iter().enumerate() {
        let style = theme.series(number);
        let unknown = GpuCard::unknown(*gpu);
        let card = cards.iter().find(|card| card.index == *gpu).unwrap_or(&unknown);
        let line: Line = points(course, |sample| part(sample, card));
        values.extend(line.last().map(|(_, value)| (format!("{gpu} {}", show(*value)), style)));
        lines.push((line, style));
    }
    Panel { title: title.to_owned(), values, labels: (show(1.0), show(0.0)), lines }
}

fn host(machine: &Machine, theme: &Theme, title: &str, part: fn(&HostSample) -> Option<f64>) -> Panel {
    let line = points(&machine.host_course, part);
    let style = theme.style(Role::Gauge);
    let newest = line.last().map(|(_, value)| (format::percent(value * 100.0), style));
    let values = newest.into_iter().collect();
    Panel { title: title.to_owned(), values, labels: whole(), lines: vec![(line, style)] }
}

fn points<T>(course: &Course<T>, part: impl Fn(&T) -> Option<f64>) -> Line {
    course.iter().filter_map(|(at, sample)| Some((*at, part(sample)?))).collect()
}
