//! The charts of the GPUs: a line each for one or two, and a band from the least to the most with the median in it for
//! more, because many lines over one another are not readable.

use std::collections::BTreeMap;

use jiff::Timestamp;
use ratatui::style::Style;

use crate::model::ids::GpuIndex;
use crate::model::machine::sample::{COOL_C, FRESH, GpuCard, GpuSample};
use crate::model::units::duration_between;
use crate::tui::format;
use crate::tui::model::hardware::machine::MachineHistory;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::panel::{Band, ChartPanel, Ink, Line, known_points};

/// Number of lines that can still be distinguished in one chart.
const MOST_LINES: usize = 2;

/// A band has a value for each of so many parts of its time.
const PARTS: f64 = 256.0;

/// A part is at least so many seconds: all GPUs are read once in it.
const SHORTEST_PART: f64 = 1.0;

/// Edges of charts are multiples of this.
const STEP: f64 = 10.0;

/// A chart shows at least so much from edge to edge: less is noise.
const LEAST_RANGE: f64 = 20.0;

/// A measure that is shown for each GPU.
struct PanelMeasure {
    title: &'static str,
    show: fn(f64) -> String,
    value: fn(&GpuSample, &GpuCard) -> Option<f64>,
    /// The values that are nothing and all of the limit.
    limits: (f64, f64),
    ink: fn(f64, f64) -> Ink,
}

/// A value of a GPU at some moment.
type Course = (GpuIndex, Line);

/// Utilisation, memory, power and temperature.
pub(in crate::tui::view) fn build_panels(machine: &MachineHistory, theme: &Theme) -> [ChartPanel; 4] {
    let cards = machine.inventory.as_ref().map_or(&[][..], |inventory| inventory.cards());
    let slowdown = cards.iter().filter_map(|card| card.slowdown_c).min().map_or(100.0, f64::from);
    let percent = |title, value| PanelMeasure {
        title,
        show: format::format_percent,
        value,
        limits: (0.0, 100.0),
        ink: Ink::Grade,
    };
    let util = PanelMeasure { ink: Ink::Load, ..percent("GPU util", |sample, _| sample.utilization_percent) };
    let vram = percent("VRAM", |sample, card| Some(100.0 * sample.vram_part(card)?));
    let power = percent("GPU power (of cap)", |sample, _| Some(100.0 * sample.power_part()?));
    let heat = PanelMeasure {
        title: "GPU temperature",
        show: |value| format!("{value:.0}°"),
        value: |sample, _| sample.temperature_c,
        limits: (COOL_C, slowdown),
        ink: Ink::Grade,
    };
    [util, vram, power, heat].map(|measure| build_panel(machine, &measure, theme))
}

fn build_panel(machine: &MachineHistory, measure: &PanelMeasure, theme: &Theme) -> ChartPanel {
    let cards = machine.inventory.as_ref().map_or(&[][..], |inventory| inventory.cards());
    let courses = machine.gpu_courses.iter().map(|(gpu, course)| {
        let unknown = GpuCard::unknown(*gpu);
        let card = cards.iter().find(|card| card.index == *gpu).unwrap_or(&unknown);
        (*gpu, known_points(course, |sample| (measure.value)(sample, card)))
    });
    let courses: Vec<Course> = courses.filter(|(_, line)| !line.is_empty()).collect();
    let (low, high) = round_edges(courses.iter().flat_map(|(_, line)| line.iter().map(|(_, value)| *value)));
    let mut panel = ChartPanel {
        title: measure.title.to_owned(),
        values: Vec::new(),
        labels: ((measure.show)(high), (measure.show)(low)),
        band: None,
        lines: Vec::new(),
    };
    let height = |value: f64| (value - low) / (high - low);
    let scaled = |line: Line| line.into_iter().map(|(at, value)| (at, height(value))).collect::<Line>();
    if courses.len() > MOST_LINES {
        panel.values = newest_spread(&courses, measure, theme);
        let (band, median) = band_and_median(&courses);
        let band = band.into_iter().map(|(at, (least, most))| (at, (height(least), height(most)))).collect();
        let (nothing, all) = measure.limits;
        let part = |value: f64| (value - nothing) / (all - nothing);
        panel.band = Some((band, theme.style(Role::Track)));
        panel.lines = vec![(scaled(median), (measure.ink)(part(low), part(high)))];
        return panel;
    }
    for (number, (gpu, line)) in courses.into_iter().enumerate() {
        let style = theme.series_style(number);
        panel
            .values
            .extend(line.last().map(|(_, value)| (format!("{gpu} {}", (measure.show)(*value)), style)));
        panel.lines.push((scaled(line), Ink::Plain(style)));
    }
    panel
}

/// Round numbers below and above all values.
fn round_edges(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let bounds =
        values.map(|value| (value, value)).reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
    let (least, most) = bounds.unwrap_or((0.0, 100.0));
    let high = (most / STEP).ceil() * STEP;
    let low = ((least / STEP).floor() * STEP).min(high - LEAST_RANGE).max(0.0);
    (low, high.max(low + LEAST_RANGE))
}

/// The newest values: which GPU has the least, what is usual, and which has the most.
fn newest_spread(courses: &[Course], measure: &PanelMeasure, theme: &Theme) -> Vec<(String, Style)> {
    let newest = courses.iter().filter_map(|(gpu, line)| Some((*gpu, line.last()?.1)));
    let mut newest: Vec<(GpuIndex, f64)> = newest.collect();
    newest.sort_by(|one, other| one.1.total_cmp(&other.1));
    let (Some(least), Some(most)) = (newest.first(), newest.last()) else { return Vec::new() };
    let median = sorted_median(&newest.iter().map(|(_, value)| *value).collect::<Vec<_>>());
    let (dim, text) = (theme.style(Role::Dim), theme.style(Role::Text));
    let end = |word: &str, (gpu, value): &(GpuIndex, f64)| {
        (format!("{word} {} GPU {gpu}", (measure.show)(*value)), dim)
    };
    let median = (format!("median {}", (measure.show)(median)), text);
    vec![end("least", least), median, end("most", most)]
}

/// The median of sorted values.
fn sorted_median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    match sorted {
        [] => 0.0,
        [.., _] if sorted.len() % 2 == 1 => sorted[half],
        [..] => f64::midpoint(sorted[half - 1], sorted[half]),
    }
}

/// The least and the most at each time, and the median. GPUs are not read at the same moment, so of each the newest
/// value counts for as long as it holds.
fn band_and_median(courses: &[Course]) -> (Band, Line) {
    let mut readings: Vec<(Timestamp, GpuIndex, f64)> =
        courses.iter().flat_map(|(gpu, line)| line.iter().map(|(at, value)| (*at, *gpu, *value))).collect();
    readings.sort_by_key(|(at, gpu, _)| (*at, *gpu));
    let (Some(first), Some(last)) = (readings.first(), readings.last()) else {
        return (Vec::new(), Vec::new());
    };
    let (begin, length) = (first.0, duration_between(first.0, last.0).as_secs_f64());
    let part = (length / PARTS).max(SHORTEST_PART);
    let holds = FRESH.as_secs_f64().max(2.0 * part);
    let number = |at: Timestamp| (duration_between(begin, at).as_secs_f64() / part) as u64;
    let mut newest: BTreeMap<GpuIndex, (Timestamp, f64)> = BTreeMap::new();
    let (mut band, mut median) = (Vec::new(), Vec::new());
    for readings in readings.chunk_by(|one, other| number(one.0) == number(other.0)) {
        let Some((now, ..)) = readings.last().copied() else { continue };
        newest.extend(readings.iter().map(|(at, gpu, value)| (*gpu, (*at, *value))));
        newest.retain(|_, (at, _)| duration_between(*at, now).as_secs_f64() <= holds);
        let mut values: Vec<f64> = newest.values().map(|(_, value)| *value).collect();
        values.sort_by(f64::total_cmp);
        if let (Some(least), Some(most)) = (values.first(), values.last()) {
            band.push((now, (*least, *most)));
            median.push((now, sorted_median(&values)));
        }
    }
    (band, median)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_round_and_never_at_the_noise() {
        assert_eq!(round_edges([54.0, 61.5].into_iter()), (50.0, 70.0));
        assert_eq!(round_edges([96.0, 99.0].into_iter()), (80.0, 100.0));
        assert_eq!(round_edges([0.0, 0.0].into_iter()), (0.0, 20.0));
        assert_eq!(round_edges([12.0, 88.0].into_iter()), (10.0, 90.0));
        assert_eq!(round_edges(std::iter::empty()), (0.0, 100.0));
    }

    #[test]
    fn a_band_has_the_least_the_median_and_the_most_of_each_moment() {
        let second = |second| Timestamp::from_second(second).unwrap();
        let course =
            |gpu, values: [f64; 2]| (GpuIndex(gpu), vec![(second(0), values[0]), (second(100), values[1])]);
        let courses =
            [course(0, [1.0, 8.0]), course(1, [5.0, 2.0]), course(2, [3.0, 4.0]), course(3, [9.0, 6.0])];
        let (band, median) = band_and_median(&courses);
        assert_eq!(band, [(second(0), (1.0, 9.0)), (second(100), (2.0, 8.0))]);
        assert_eq!(median, [(second(0), 4.0), (second(100), 5.0)]);
    }

    #[test]
    fn gpus_that_are_read_one_after_the_other_are_still_compared() {
        let at = |gpu: u32, second: i64| {
            Timestamp::from_millisecond(1000 * second + 120 * i64::from(gpu)).unwrap()
        };
        let line = |gpu: u32| (0..30).map(|second| (at(gpu, second), f64::from(gpu))).collect();
        let courses: Vec<Course> = (0..8).map(|gpu| (GpuIndex(gpu), line(gpu))).collect();
        let (band, median) = band_and_median(&courses);
        assert!(band.len() >= 25, "{}", band.len());
        assert!(band.iter().all(|(_, edges)| *edges == (0.0, 7.0)), "{band:?}");
        assert!(median.iter().all(|(_, value)| (*value - 3.5).abs() < 1e-9), "{median:?}");
    }
}
