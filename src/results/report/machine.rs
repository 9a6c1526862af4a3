//! Power, temperature and load over time, on the same axis as the shards.

use super::cards;
use super::pictures::svg::Picture;
use super::pictures::time_axis::{BELOW, TimePlot, label_time};
use super::template::{Section, values};
use crate::model::machine::sample::GpuInventory;
use crate::results::findings::Findings;
use crate::results::measured::gpu_place::GpuInventories;
use crate::results::measured::measures::GpuMeasures;
use crate::results::measured::series::Series;

const GIB: f64 = (1_u64 << 30) as f64;

/// Height of one plot, and the distance to the next.
const HEIGHT: f64 = 96.0;
const STEP: f64 = HEIGHT + 38.0;

/// A plot of one quantity of the machine.
struct MachinePlot<'a> {
    unit: &'static str,
    /// The factor that turns the quantity into the unit.
    factor: f64,
    series: Vec<(String, &'a Series)>,
    /// A level that means something.
    level: Option<(f64, String)>,
    /// The axis goes at least so far.
    least_top: f64,
}

/// Returns the section on the machine.
pub fn render_section(findings: &Findings<'_>) -> Section {
    let panels = list_panels(findings);
    let values = values! {
        system => findings.system.as_ref().map(|system| system.to_text()),
        no_gpu => findings.measured.gpus.is_empty().then(|| why_no_gpu(&findings.inventories)),
        cards => cards::render_gpu_table(&findings.measured, &findings.inventories),
        picture => (!panels.is_empty()).then(|| draw_panels(findings, &panels)),
    };
    Section::new("Machine", "machine", values)
}

/// Why there are no readings of a GPU, as a sentence.
pub fn why_no_gpu(inventories: &GpuInventories) -> String {
    match inventories.iter().next() {
        Some(GpuInventory::Absent { reason }) => {
            format!("No GPU was measured: {}.", reason.trim_end_matches('.'))
        }
        Some(GpuInventory::Present { .. }) => "No reading of a GPU was written.".to_owned(),
        None => "Whether there was a GPU is not known, and none was measured.".to_owned(),
    }
}

fn draw_panels(findings: &Findings<'_>, panels: &[MachinePlot<'_>]) -> String {
    let grid = findings.measured.grid;
    let mut picture = Picture::new(22.0 + STEP * panels.len() as f64 - 38.0 + BELOW);
    for (number, panel) in panels.iter().enumerate() {
        let y = 22.0 + STEP * number as f64;
        let peaks = panel.series.iter().filter_map(|(_, series)| series.whole.peak());
        let most = peaks.map(|peak| peak * panel.factor).chain([panel.least_top]).fold(0.0, f64::max);
        let plot = TimePlot::new(&mut picture, grid, (y, HEIGHT), most, panel.unit);
        for (class, series) in &panel.series {
            plot.draw_series(&mut picture, class, series, panel.factor);
        }
        if let Some((level, name)) = &panel.level {
            plot.draw_level(&mut picture, *level, name);
        }
        if number + 1 == panels.len() {
            label_time(&mut picture, &grid, y + HEIGHT);
        }
    }
    picture.finish("Power, temperature, utilisation, CPU and memory over time")
}

/// Lists the plots of what was read, in the order of the page.
fn list_panels<'a>(findings: &'a Findings<'_>) -> Vec<MachinePlot<'a>> {
    let measured = &findings.measured;
    let of_gpus = |series: fn(&GpuMeasures) -> &Series| -> Vec<(String, &'a Series)> {
        let gpus = measured.gpus.values().enumerate();
        gpus.map(|(number, gpu)| (format!("s{}", number % 8), series(gpu))).collect()
    };
    let cap = measured.gpus.values().filter_map(|gpu| gpu.power_cap.peak()).reduce(f64::max);
    let slowdown = findings.inventories.cards().filter_map(|card| card.slowdown_c).min().map(f64::from);
    let host = &measured.host;
    let ram = host.ram_total.peak().map(|total| total / GIB);
    let percent = |unit, series| MachinePlot { unit, factor: 1.0, series, level: None, least_top: 100.0 };
    let all = [
        MachinePlot {
            unit: "GPU power, W",
            factor: 1.0,
            series: of_gpus(|gpu| &gpu.power),
            level: cap.map(|cap| (cap, format!("cap {cap:.0} W"))),
            least_top: cap.unwrap_or(0.0),
        },
        MachinePlot {
            unit: "GPU temperature, °C",
            factor: 1.0,
            series: of_gpus(|gpu| &gpu.temperature),
            level: slowdown.map(|slowdown| (slowdown, format!("slows down at {slowdown:.0} °C"))),
            least_top: slowdown.unwrap_or(0.0),
        },
        percent("GPU utilisation, %", of_gpus(|gpu| &gpu.utilization)),
        percent("GPU clocks held back, % of the time", of_gpus(|gpu| &gpu.throttled)),
        percent("CPU, % of all cores", vec![("host".to_owned(), &host.cpu)]),
        MachinePlot {
            unit: "RAM, GiB",
            factor: 1.0 / GIB,
            series: vec![("host".to_owned(), &host.ram)],
            level: ram.map(|ram| (ram, format!("all of it, {ram:.1} GiB"))),
            least_top: ram.unwrap_or(0.0),
        },
    ];
    all.into_iter().filter(|panel| panel.series.iter().any(|(_, series)| !series.is_empty())).collect()
}
