//! A chart of one measure of several things: a line each for one or two, and a band from the least to the most with the
//! median in it for more, because many lines over one another are not readable.

use jiff::Timestamp;
use ratatui::style::Style;

use crate::model::machine::sample::FRESH;
use crate::model::units::duration_between;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::panel::{Band, ChartPanel, Ink, Line};

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

/// A measure that is shown of each source.
pub(in crate::tui::view) struct PanelMeasure {
    pub(in crate::tui::view) title: &'static str,
    pub(in crate::tui::view) show: fn(f64) -> String,
    /// The values that are nothing and all of the limit.
    pub(in crate::tui::view) limits: (f64, f64),
    pub(in crate::tui::view) ink: fn(f64, f64) -> Ink,
}

/// A GPU or a host, with the values of a measure.
pub(in crate::tui::view) struct Source {
    /// Its name among those of other kinds.
    pub(in crate::tui::view) name: String,
    /// Its name next to a value.
    pub(in crate::tui::view) short: String,
    pub(in crate::tui::view) line: Line,
}

/// The chart of a measure. What has no value yet is not in it.
pub(in crate::tui::view) fn build_panel(
    measure: &PanelMeasure,
    mut sources: Vec<Source>,
    theme: &Theme,
) -> ChartPanel {
    sources.retain(|source| !source.line.is_empty());
    let values = sources.iter().flat_map(|source| source.line.iter().map(|(_, value)| *value));
    let (low, high) = round_edges(values);
    let mut panel = ChartPanel {
        title: measure.title.to_owned(),
        values: Vec::new(),
        labels: ((measure.show)(high), (measure.show)(low)),
        band: None,
        lines: Vec::new(),
    };
    let height = |value: f64| (value - low) / (high - low);
    let scaled = |line: Line| line.into_iter().map(|(at, value)| (at, height(value))).collect::<Line>();
    if sources.len() > MOST_LINES {
        panel.values = newest_spread(&sources, measure, theme);
        let lines: Vec<Line> = sources.into_iter().map(|source| source.line).collect();
        let (band, median) = band_and_median(&lines);
        let band = band.into_iter().map(|(at, (least, most))| (at, (height(least), height(most)))).collect();
        let (nothing, all) = measure.limits;
        let part = |value: f64| (value - nothing) / (all - nothing);
        panel.band = Some((band, theme.style(Role::Track)));
        panel.lines = vec![(scaled(median), (measure.ink)(part(low), part(high)))];
        return panel;
    }
    for (number, source) in sources.into_iter().enumerate() {
        let style = theme.series_style(number);
        let newest = source.line.last().map(|(_, value)| (measure.show)(*value));
        panel.values.extend(newest.map(|newest| (format!("{} {newest}", source.short), style)));
        panel.lines.push((scaled(source.line), Ink::Plain(style)));
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

/// The newest values: which source has the least, what is usual, and which has the most.
fn newest_spread(sources: &[Source], measure: &PanelMeasure, theme: &Theme) -> Vec<(String, Style)> {
    let read = sources.iter().filter_map(|source| source.line.last().map(|(at, _)| *at)).max();
    // One that has fallen silent is at nothing now.
    let is_current = |at: Timestamp| read.is_some_and(|read| duration_between(at, read) <= FRESH);
    let newest = sources.iter().filter_map(|source| {
        let (at, value) = source.line.last()?;
        is_current(*at).then_some((source.name.as_str(), *value))
    });
    let mut newest: Vec<(&str, f64)> = newest.collect();
    newest.sort_by(|one, other| one.1.total_cmp(&other.1));
    let (Some(least), Some(most)) = (newest.first(), newest.last()) else { return Vec::new() };
    let median = sorted_median(&newest.iter().map(|(_, value)| *value).collect::<Vec<_>>());
    let (dim, text) = (theme.style(Role::Dim), theme.style(Role::Text));
    let end =
        |word: &str, (name, value): &(&str, f64)| (format!("{word} {} {name}", (measure.show)(*value)), dim);
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

/// The least and the most at each time, and the median. Sources are not read at the same moment, so of each the newest
/// value counts for as long as it holds.
fn band_and_median(lines: &[Line]) -> (Band, Line) {
    let spans = lines.iter().filter_map(|line| Some((line.first()?.0, line.last()?.0)));
    let span = spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
    let Some((begin, end)) = span else { return (Vec::new(), Vec::new()) };
    let part = (duration_between(begin, end).as_secs_f64() / PARTS).max(SHORTEST_PART);
    let holds = FRESH.as_secs_f64().max(2.0 * part);
    let number = |at: Timestamp| (duration_between(begin, at).as_secs_f64() / part) as u64;
    let mut unread: Vec<&[(Timestamp, f64)]> = lines.iter().map(Vec::as_slice).collect();
    let mut newest: Vec<Option<(Timestamp, f64)>> = vec![None; lines.len()];
    let (mut band, mut median) = (Vec::new(), Vec::new());
    for part in 0..=number(end) {
        let mut now = None;
        for (unread, newest) in unread.iter_mut().zip(&mut newest) {
            let read = unread.iter().take_while(|(at, _)| number(*at) <= part).count();
            let (of_part, rest) = unread.split_at(read);
            *unread = rest;
            *newest = of_part.last().copied().or(*newest);
            now = now.max(of_part.last().map(|(at, _)| *at));
        }
        let Some(now) = now else { continue };
        let holding =
            newest.iter().flatten().filter(|(at, _)| duration_between(*at, now).as_secs_f64() <= holds);
        let mut values: Vec<f64> = holding.map(|(_, value)| *value).collect();
        values.sort_unstable_by(f64::total_cmp);
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
        let line = |values: [f64; 2]| vec![(second(0), values[0]), (second(100), values[1])];
        let lines = [line([1.0, 8.0]), line([5.0, 2.0]), line([3.0, 4.0]), line([9.0, 6.0])];
        let (band, median) = band_and_median(&lines);
        assert_eq!(band, [(second(0), (1.0, 9.0)), (second(100), (2.0, 8.0))]);
        assert_eq!(median, [(second(0), 4.0), (second(100), 5.0)]);
    }

    #[test]
    fn gpus_that_are_read_one_after_the_other_are_still_compared() {
        let at = |gpu: u32, second: i64| {
            Timestamp::from_millisecond(1000 * second + 120 * i64::from(gpu)).unwrap()
        };
        let line = |gpu: u32| (0..30).map(|second| (at(gpu, second), f64::from(gpu))).collect();
        let lines: Vec<Line> = (0..8).map(line).collect();
        let (band, median) = band_and_median(&lines);
        assert!(band.len() >= 25, "{}", band.len());
        assert!(band.iter().all(|(_, edges)| *edges == (0.0, 7.0)), "{band:?}");
        assert!(median.iter().all(|(_, value)| (*value - 3.5).abs() < 1e-9), "{median:?}");
    }
}
