//! VRAM over time, stacked by shard, against the card.

use super::machine::why_no_gpu;
use super::pictures::lanes::Lane;
use super::pictures::svg::{Anchor, LETTER, Picture, fit_text};
use super::pictures::time_axis::{BELOW, TimePlot, label_time};
use super::template::{Section, values};
use super::timeline::name_of;
use crate::results::findings::Findings;
use crate::results::measured::gpu_place::GpuPlace;
use crate::results::measured::measures::{GpuMeasures, RunMeasures};
use crate::results::scale::format_bytes;

const GIB: f64 = (1_u64 << 30) as f64;

/// Height of one plot.
const HEIGHT: f64 = 180.0;

/// More GPUs than this on one page are too many to look at.
const MOST: usize = 16;

/// Returns the section on VRAM.
pub fn render_section(findings: &Findings<'_>, lanes: &[Lane]) -> Section {
    let measured = &findings.measured.gpus;
    let read: Vec<(&GpuPlace, &GpuMeasures)> =
        measured.iter().filter(|(_, gpu)| !gpu.vram.is_empty()).take(MOST).collect();
    let values = values! {
        why => why_no_gpu(&findings.inventories),
        is_shared => lanes.iter().any(|lane| lane.gpus.len() > 1 && read.iter().any(|(gpu, _)| lane.has_gpu(gpu))),
        picture => (!read.is_empty()).then(|| draw_memory(findings, lanes, &read)),
    };
    Section::new("VRAM", "vram", values)
}

fn draw_memory(findings: &Findings<'_>, lanes: &[Lane], read: &[(&GpuPlace, &GpuMeasures)]) -> String {
    let measured = &findings.measured;
    let mut picture = Picture::new(30.0 + read.len() as f64 * (HEIGHT + 40.0) - 40.0 + BELOW);
    for (number, (place, gpu)) in read.iter().enumerate() {
        let y = 30.0 + number as f64 * (HEIGHT + 40.0);
        let total = gpu.vram_total.peak();
        let most = total.or(gpu.vram.whole.peak()).unwrap_or(0.0) / GIB;
        let plot =
            TimePlot::new(&mut picture, measured.grid, (y, HEIGHT), most, &format!("GPU {place}: VRAM, GiB"));
        // A shard on several GPUs shows only what it holds on all of them together.
        let own = lanes.iter().filter(|lane| lane.gpus.len() == 1 && lane.has_gpu(place));
        draw_stack(&mut picture, &plot, findings, own);
        plot.draw_series(&mut picture, "used", &gpu.vram, 1.0 / GIB);
        if let Some(total) = total {
            plot.draw_level(&mut picture, total / GIB, &format!("all of the card, {}", format_bytes(total)));
        }
        if number + 1 == read.len() {
            label_time(&mut picture, &measured.grid, y + HEIGHT);
        }
    }
    picture.finish("VRAM of shards over time, stacked, against the memory of each card")
}

fn draw_stack<'a>(
    picture: &mut Picture,
    plot: &TimePlot,
    findings: &Findings<'_>,
    lanes: impl Iterator<Item = &'a Lane>,
) {
    let RunMeasures { grid, attempts, .. } = &findings.measured;
    let mut base = vec![0.0; grid.columns];
    let mut labels = Vec::new();
    for position in lanes.flat_map(|lane| &lane.attempts) {
        let course = fill_gaps(&attempts[*position].vram_course);
        if !course.iter().any(|(_, held)| *held > 0.0) {
            continue;
        }
        let shard = findings.attempts[*position].shard;
        let (mut upper, mut lower) = (Vec::new(), Vec::new());
        for (column, held) in course {
            let (left, right) = (plot.x(grid.start_of(column)), plot.x(grid.start_of(column + 1)));
            let (from, to) = (plot.y(base[column] / GIB), plot.y((base[column] + held) / GIB));
            upper.extend([(left, to), (right, to)]);
            lower.extend([(left, from), (right, from)]);
            base[column] += held;
        }
        let label = place_label(&upper, &lower, &name_of(&findings.attempts[*position], findings));
        upper.extend(lower.into_iter().rev());
        let peak = attempts[*position].vram.peak().map(format_bytes).unwrap_or_default();
        let told = format!(
            "{}, attempt {}: at most {peak}",
            findings.outcomes[shard].id(),
            findings.attempts[*position].number
        );
        picture.path(&format!("stack s{}", shard % 8), &upper, &told);
        labels.extend(label);
    }
    // Above all areas, because a later one may touch an earlier name.
    for (at, name) in labels {
        picture.text("on-stack", at, Anchor::Start, &name);
    }
}

/// The first place in an area where its name, or most of it, lies within from left to right; `None` if it is
/// too thin.
fn place_label(upper: &[(f64, f64)], lower: &[(f64, f64)], name: &str) -> Option<((f64, f64), String)> {
    const LINE: f64 = 13.0;
    // Two points a column: what lies under a name of that width is the highest bottom and the lowest top.
    let fits = |start: usize, width: f64| {
        let end = upper[start].0 + width;
        let under = || upper.iter().zip(lower).skip(start).take_while(|((x, _), _)| *x < end);
        let top = under().map(|((_, top), _)| *top).fold(0.0, f64::max);
        let bottom = under().map(|(_, (_, bottom))| *bottom).fold(f64::MAX, f64::min);
        let reaches = upper.last().is_some_and(|(x, _)| *x >= end);
        (reaches && bottom - top >= LINE).then_some((upper[start].0 + 4.0, (top + bottom) / 2.0 + 4.0))
    };
    let letters = name.chars().count();
    [letters, 8].into_iter().filter(|room| *room <= letters).find_map(|room| {
        let width = room as f64 * LETTER + 8.0;
        let at = (0..upper.len()).step_by(2).find_map(|start| fits(start, width))?;
        Some((at, fit_text(name, width - 8.0)?))
    })
}

/// Every column from the first to the last: one without a reading holds what the one before it did.
fn fill_gaps(course: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let mut dense: Vec<(usize, f64)> = Vec::with_capacity(course.len());
    for (column, held) in course {
        if let Some((last, before)) = dense.last().copied() {
            dense.extend((last + 1..*column).map(|missing| (missing, before)));
        }
        dense.push((*column, *held));
    }
    dense
}
