//! The charts of the GPUs of one machine or of several.

use crate::model::machine::sample::{COOL_C, GpuCard, GpuSample, HostSample};
use crate::model::sweep::node_spec::NodeId;
use crate::tui::format;
use crate::tui::model::hardware::machine::MachineHistory;
use crate::tui::model::hardware::machines::name_gpu;
use crate::tui::theme::file::Theme;
use crate::tui::view::hardware::spread_panel::{PanelMeasure, Source, build_panel};
use crate::tui::view::panes::panel::{ChartPanel, Ink, known_points};

/// A machine with the node that it is.
type Machine<'a> = (Option<&'a NodeId>, &'a MachineHistory);

/// Utilisation, memory, power and temperature of each GPU.
pub(in crate::tui::view) fn build_gpu_panels(machines: &[Machine<'_>], theme: &Theme) -> [ChartPanel; 4] {
    let cards = machines.iter().flat_map(|(_, machine)| machine.cards());
    let slowdown = cards.filter_map(|card| card.slowdown_c).min().map_or(100.0, f64::from);
    let util = PanelMeasure { ink: Ink::Load, ..percent("GPU util") };
    let heat = PanelMeasure {
        title: "GPU temperature",
        show: |value| format!("{value:.0}°"),
        limits: (COOL_C, slowdown),
        ink: Ink::Grade,
    };
    let panel = |measure: PanelMeasure, value| build_panel(&measure, gpu_sources(machines, value), theme);
    [
        panel(util, |sample, _| sample.utilization_percent),
        panel(percent("VRAM"), |sample, card| Some(100.0 * sample.vram_part(card)?)),
        panel(percent("GPU power (of cap)"), |sample, _| Some(100.0 * sample.power_part()?)),
        panel(heat, |sample, _| sample.temperature_c),
    ]
}

/// CPU and RAM of the host of each node.
pub(in crate::tui::view) fn build_host_panels(machines: &[Machine<'_>], theme: &Theme) -> [ChartPanel; 2] {
    let panel = |title, value: fn(&HostSample) -> Option<f64>| {
        let of_node = |(node, machine): &Machine<'_>| {
            let name = node.map(NodeId::to_string).unwrap_or_default();
            Source { short: name.clone(), name, line: known_points(&machine.host_course, value) }
        };
        build_panel(&percent(title), machines.iter().map(of_node).collect(), theme)
    };
    let ram = |sample: &HostSample| {
        let total = sample.ram_total_bytes.filter(|total| total.0 > 0)?;
        Some(100.0 * sample.ram_used_bytes?.0 as f64 / total.0 as f64)
    };
    [panel("CPU", |sample| sample.cpu_percent), panel("RAM", ram)]
}

fn percent(title: &'static str) -> PanelMeasure {
    PanelMeasure { title, show: format::format_percent, limits: (0.0, 100.0), ink: Ink::Grade }
}

fn gpu_sources(machines: &[Machine<'_>], value: fn(&GpuSample, &GpuCard) -> Option<f64>) -> Vec<Source> {
    let mut sources = Vec::new();
    for (node, machine) in machines {
        for (gpu, course) in &machine.gpu_courses {
            let unknown = GpuCard::unknown(*gpu);
            let card = machine.cards().iter().find(|card| card.index == *gpu).unwrap_or(&unknown);
            let short = node.map_or_else(|| gpu.to_string(), |node| format!("{node} {gpu}"));
            let line = known_points(course, |sample| value(sample, card));
            sources.push(Source { name: name_gpu(*node, *gpu), short, line });
        }
    }
    sources
}
