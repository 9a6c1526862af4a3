//! The posterior of each rate by Bayes' rule, drawn as violins, and how likely each is the best of two.

use super::pictures::svg::{Anchor, Area, Picture, WIDTH, fit_text};
use super::template::{Section, values};
use crate::results::axes;
use crate::results::findings::Findings;
use crate::results::scale::format_percent;
use crate::results::statistics::group::{self, ShardGroup};
use crate::results::statistics::posterior::Posterior;
use crate::results::statistics::superiority::{Superiority, compute_superiorities};

/// More values of an axis than this are for `summary.json`.
const MOST_VALUES: usize = 20;

/// More pairs than this, too.
const MOST_PAIRS: usize = 40;

/// Room for the names on the left and the numbers on the right.
const NAMES: f64 = 230.0;
const NUMBERS: f64 = 210.0;

/// From one violin to the next, and how thick one is.
const STEP: f64 = 34.0;
const HALF: f64 = 13.0;

/// Returns the section; `None` if no axis has two values with rates.
pub fn render_section(findings: &Findings<'_>) -> Option<Section> {
    let all = compute_superiorities(findings.records.plan, &findings.outcomes);
    let mut axes = Vec::new();
    for axis in axes::axes_of_interest(findings.records.plan) {
        let groups = group::group_outcomes(&[axis], &findings.outcomes, &findings.costs);
        let rated: Vec<(String, Posterior, &ShardGroup)> = groups
            .iter()
            .filter_map(|group| Some((group.values.concat(), group.totals.posterior()?, group)))
            .take(MOST_VALUES)
            .collect();
        if rated.len() > 1 {
            let pairs = || all.iter().filter(|pair| pair.axis == axis);
            let row = |pair: &Superiority| (pair.first.clone(), pair.second.clone(), pair.probability);
            axes.push(values! {
                name => axis, picture => draw_posteriors(axis, &rated),
                pairs => pairs().take(MOST_PAIRS).map(row).collect::<Vec<_>>(),
                more => pairs().count().saturating_sub(MOST_PAIRS),
            });
        }
    }
    (!axes.is_empty()).then(|| Section::new("Posteriors", "posteriors", values! { axes }))
}

fn draw_posteriors(axis: &str, rated: &[(String, Posterior, &ShardGroup)]) -> String {
    let bottom = 12.0 + STEP * rated.len() as f64;
    let mut picture = Picture::new(bottom + 36.0);
    let area = Area { x: NAMES, y: 12.0, width: WIDTH - NAMES - NUMBERS, height: bottom - 12.0 };
    let x = |rate: f64| area.x + area.width * rate;
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        picture.line("grid", (x(tick), area.y), (x(tick), bottom));
        picture.text("label", (x(tick), bottom + 15.0), Anchor::Middle, &format!("{:.0}", 100.0 * tick));
    }
    picture.text("unit", (area.x + area.width, bottom + 31.0), Anchor::End, "success, %");
    for (number, (value, posterior, group)) in rated.iter().enumerate() {
        let y = area.y + STEP * (number as f64 + 0.5);
        let [median, low, high] = posterior.median_and_interval();
        let upper = posterior.density_curve().into_iter().map(|(rate, height)| (x(rate), y - HALF * height));
        let lower =
            posterior.density_curve().into_iter().rev().map(|(rate, height)| (x(rate), y + HALF * height));
        let outline: Vec<(f64, f64)> = upper.chain(lower).collect();
        picture.path("violin", &outline, value);
        picture.line("interval told", (x(low), y), (x(high), y));
        let seen = group.totals.success_rate().unwrap_or(median);
        picture.dot("estimate told", (x(seen), y), 4.0, &format!("{value}: {}", format_percent(seen)));
        let name = fit_text(value, NAMES - 20.0).unwrap_or_default();
        picture.text("label", (NAMES - 14.0, y + 4.0), Anchor::End, &name);
        let numbers = format!("{:.1} % ({:.1} to {:.1})", 100.0 * median, 100.0 * low, 100.0 * high);
        picture.text("label", (WIDTH - NUMBERS + 14.0, y + 4.0), Anchor::Start, &numbers);
    }
    picture.finish(&format!("Posterior of the success rate of each {axis}"))
}
