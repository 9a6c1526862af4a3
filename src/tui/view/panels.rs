//! The list of charts, the most informative first, with their lines scaled to 0 to 1.

use jiff::Timestamp;

use super::chart;
use super::hardware::gpu_panels;
use super::panes::panel::{ChartPanel, Ink, Line, known_points};
use crate::model::machine::sample::HostSample;
use crate::tui::format;
use crate::tui::model::hardware::machine::MachineHistory;
use crate::tui::model::screen::Model;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// All charts of a run.
pub(super) fn build_panels(model: &Model, theme: &Theme, times: (Timestamp, Timestamp)) -> Vec<ChartPanel> {
    let mut panels = vec![progress_panel(model, theme)];
    panels.extend(metric_panel(model, theme, times));
    match model.has_nodes() {
        true => panels.extend(of_nodes(model, theme)),
        false => panels.extend(of_machine(&model.machine, theme)),
    }
    panels
}

/// The charts of the host: CPU and RAM.
pub(super) fn of_host(machine: &MachineHistory, theme: &Theme) -> [ChartPanel; 2] {
    let cpu = host_panel(machine, theme, "CPU", |sample| Some(sample.cpu_percent? / 100.0));
    let ram = host_panel(machine, theme, "RAM", |sample| {
        let total = sample.ram_total_bytes.filter(|total| total.0 > 0)?;
        Some(sample.ram_used_bytes?.0 as f64 / total.0 as f64)
    });
    [cpu, ram]
}

/// The charts of GPUs and host.
pub(super) fn of_machine(machine: &MachineHistory, theme: &Theme) -> Vec<ChartPanel> {
    let [cpu, ram] = of_host(machine, theme);
    if machine.gpu_courses.is_empty() {
        return vec![cpu, ram];
    }
    let [util, vram, power, heat] = gpu_panels::build_gpu_panels(&[(None, machine)], theme);
    vec![util, vram, cpu, power, heat, ram]
}

/// The charts of GPUs and hosts of all nodes; those of the machine of the run would say nothing about its shards.
fn of_nodes(model: &Model, theme: &Theme) -> Vec<ChartPanel> {
    let machines = model.machines();
    let [cpu, ram] = gpu_panels::build_host_panels(&machines, theme);
    if machines.iter().all(|(_, machine)| machine.gpu_courses.is_empty()) {
        return vec![cpu, ram];
    }
    let [util, vram, power, heat] = gpu_panels::build_gpu_panels(&machines, theme);
    vec![util, vram, cpu, power, heat, ram]
}

fn percent_labels() -> (String, String) {
    ("100%".to_owned(), "0%".to_owned())
}

fn progress_panel(model: &Model, theme: &Theme) -> ChartPanel {
    let lines = chart::chart_lines(model, theme).into_iter().filter_map(|(position, style)| {
        let line = chart::progress_points(model.reading(position)?);
        (!line.is_empty()).then_some((line, Ink::Plain(style)))
    });
    let selected = model.selected_shard().map(|reading| reading.state.id.to_string());
    let values = selected.map(|id| (id, theme.style(Role::ChartSelected))).into_iter().collect();
    ChartPanel {
        title: "Progress".to_owned(),
        values,
        labels: percent_labels(),
        band: None,
        lines: lines.collect(),
    }
}

/// The chosen metric of the shards whose progress is drawn; none while no log has given one.
fn metric_panel(model: &Model, theme: &Theme, times: (Timestamp, Timestamp)) -> Option<ChartPanel> {
    let is_drawn = |name: &&String| model.tracks.iter().any(|track| track.courses.contains_key(*name));
    let names: Vec<&String> = model.metric_names.iter().filter(is_drawn).collect();
    let name = names.get(model.views.metric % names.len().max(1))?;
    let mut lines: Vec<(Line, Ink)> = Vec::new();
    for (position, style) in chart::chart_lines(model, theme) {
        let Some(reading) = model.reading(position) else { continue };
        let is_present = reading.track.attempt == reading.state.phase.attempt();
        let Some(course) = reading.track.courses.get(*name).filter(|_| is_present) else { continue };
        let inside = course.iter().filter(|(at, _)| *at >= times.0 && *at <= times.1).copied();
        lines.push((inside.collect(), Ink::Plain(style)));
    }
    let all = || lines.iter().flat_map(|(line, _)| line.iter().map(|(_, value)| *value));
    let (low, high) = (all().reduce(f64::min)?, all().reduce(f64::max)?);
    let (low, high) = if low >= 0.0 && high <= 1.0 { (0.0, 1.0) } else { (low, high) };
    let range = if high > low { high - low } else { 1.0 };
    for (_, value) in lines.iter_mut().flat_map(|(line, _)| line.iter_mut()) {
        *value = (*value - low) / range;
    }
    let show = |value: f64| format::format_metric(name, value, None).replace(' ', "");
    let newest = model.selected_shard().and_then(|reading| reading.metric(name));
    let number = names.iter().position(|other| other == name).unwrap_or(0) + 1;
    let mut values = vec![(format!("{number} of {}, a: another", names.len()), theme.style(Role::Dim))];
    values.extend(newest.map(|value| {
        (format::format_metric(name, value, model.metric_unit(name)), theme.style(Role::ChartSelected))
    }));
    Some(ChartPanel { title: (*name).clone(), values, labels: (show(high), show(low)), band: None, lines })
}

fn host_panel(
    machine: &MachineHistory,
    theme: &Theme,
    title: &str,
    part: fn(&HostSample) -> Option<f64>,
) -> ChartPanel {
    let line = known_points(&machine.host_course, part);
    let newest =
        line.last().map(|(_, value)| (format::format_percent(value * 100.0), theme.grade_style(*value)));
    let values = newest.into_iter().collect();
    let lines = vec![(line, Ink::Grade(0.0, 1.0))];
    ChartPanel { title: title.to_owned(), values, labels: percent_labels(), band: None, lines }
}
