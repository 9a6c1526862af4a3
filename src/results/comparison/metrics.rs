//! Metrics of several runs over the combos that they have in common, and how likely one run succeeds more often.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::compared::Compared;
use crate::model::state::phase::PhaseKind;
use crate::model::units::UNKNOWN;
use crate::results::metric_summary::{mean_text, middle_text};
use crate::results::statistics::any_time::EarlyStop;
use crate::results::statistics::difference::Sample;
use crate::results::statistics::distributions::resampling::BootstrapInterval;
use crate::results::statistics::improvement::{Pairs, measure_improvement};
use crate::results::statistics::posterior::Posterior;
use crate::results::statistics::spread::MetricSpread;

/// Metrics that count how episodes ended.
const OUTCOME: &str = "outcome_";

/// More metrics than this are in `--json`.
pub const MOST: usize = 12;

/// A metric with its values in every run.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricAcross {
    /// Name of the metric.
    pub name: String,
    /// Spread of the metric in each run.
    pub spreads: Vec<Option<MetricSpread>>,
    /// Whether episodes of each run were saved, for which no number of its metrics is adjusted.
    pub early_stops: Vec<EarlyStop>,
    /// How often a shard of each run has more of it than one of the first, in the mean over the combos.
    pub above_first: Vec<Option<(f64, Option<BootstrapInterval>)>>,
}

/// Every metric that the first run and another one have.
pub fn compare_metrics(compared: &Compared<'_>) -> Vec<MetricAcross> {
    let outcomes = || compared.sides.iter().flat_map(|side| &side.findings.outcomes);
    let names: BTreeSet<&str> =
        outcomes().flat_map(|outcome| outcome.metrics.keys()).map(String::as_str).collect();
    let names = names.into_iter().filter(|name| !name.starts_with(OUTCOME));
    let all = names.map(|name| compare_metric(compared, name));
    all.filter(|one| {
        one.spreads.first().is_some_and(Option::is_some) && one.above_first.iter().any(Option::is_some)
    })
    .collect()
}

fn compare_metric(compared: &Compared<'_>, name: &str) -> MetricAcross {
    let places = 0..compared.sides.len();
    let spread = |place: usize| {
        let values: Vec<(f64, Option<f64>)> = (0..compared.combos.len())
            .flat_map(|combo| metric_values(compared, combo, place, name))
            .collect();
        MetricSpread::from_values(&values)
    };
    let above = |place: usize| {
        let alone = |combo: usize, place: usize| -> Vec<f64> {
            metric_values(compared, combo, place, name).into_iter().map(|(value, _)| value).collect()
        };
        let pairs: Pairs = (0..compared.combos.len())
            .map(|combo| (alone(combo, place), alone(combo, 0)))
            .filter(|(theirs, first)| !theirs.is_empty() && !first.is_empty())
            .collect();
        let label = format!("{name}/{}/{}", compared.sides[place].label, compared.sides[0].label);
        if place == 0 { None } else { measure_improvement(&pairs, &label) }
    };
    MetricAcross {
        name: name.to_owned(),
        spreads: places.clone().map(spread).collect(),
        early_stops: compared
            .sides
            .iter()
            .map(|side| EarlyStop::of_fixed_plan(&side.findings.outcomes))
            .collect(),
        above_first: places.map(above).collect(),
    }
}

/// The values of a metric in the shards of a combo that succeeded, with their episodes.
fn metric_values(compared: &Compared<'_>, combo: usize, place: usize, name: &str) -> Vec<(f64, Option<f64>)> {
    let Some(Some(group)) = compared.combos[combo].cells.get(place) else { return Vec::new() };
    let outcomes = &compared.sides[place].findings.outcomes;
    let shards = group.members.iter().map(|position| &outcomes[*position]);
    let counted = shards.filter(|outcome| outcome.phase == PhaseKind::Succeeded);
    counted.filter_map(|outcome| Some((*outcome.metrics.get(name)?, outcome.episodes))).collect()
}

/// How likely that run succeeds more often than the first, over the combos that both have episodes of.
pub fn probability_above_first(compared: &Compared<'_>, place: usize) -> Option<f64> {
    let mut sums = (Sample::default(), Sample::default());
    for combo in &compared.combos {
        let sample = |place: usize| {
            let totals = combo.cells.get(place)?.as_ref()?.totals;
            Some(Sample { successes: totals.successes?, episodes: totals.episodes? })
        };
        let Some((ours, first)) = sample(place).zip(sample(0)) else { continue };
        for (sum, part) in [(&mut sums.0, ours), (&mut sums.1, first)] {
            sum.successes += part.successes;
            sum.episodes += part.episodes;
        }
    }
    let (ours, first) = (Posterior::from_sample(sums.0)?, Posterior::from_sample(sums.1)?);
    (place > 0).then(|| ours.probability_above(first))
}

/// The heads of the table.
pub fn table_heads(compared: &Compared<'_>) -> Vec<String> {
    let sides = compared.sides.iter().map(|side| side.label.clone());
    let above = compared.other_sides().map(|(_, side)| format!("P({} > A)", side.label));
    std::iter::once("metric".to_owned()).chain(sides).chain(above).collect()
}

impl MetricAcross {
    /// The cells of its row.
    pub fn table_cells(&self) -> Vec<String> {
        let spread = |(spread, early): (&Option<MetricSpread>, &EarlyStop)| {
            let spread = spread.as_ref();
            let mean = spread.and_then(mean_text).unwrap_or_else(|| UNKNOWN.to_owned());
            match spread.and_then(|spread| middle_text(spread, None, *early)) {
                Some(middle) => format!("{mean}; {middle}"),
                None => mean,
            }
        };
        let above = |above: &Option<(f64, Option<BootstrapInterval>)>| match above {
            None => UNKNOWN.to_owned(),
            Some((value, None)) => format!("{:.0} %", 100.0 * value),
            Some((value, Some(interval))) => {
                format!("{:.0} % [{:.0}, {:.0}]", 100.0 * value, 100.0 * interval.low, 100.0 * interval.high)
            }
        };
        let spreads = self.spreads.iter().zip(&self.early_stops).map(spread);
        std::iter::once(self.name.clone())
            .chain(spreads)
            .chain(self.above_first.iter().skip(1).map(above))
            .collect()
    }

    /// As a part of the document.
    pub fn to_json(&self) -> Value {
        let above = self.above_first.iter().skip(1).map(|above| {
            above.map(|(probability, interval)| json!({"probability": probability, "interval": interval}))
        });
        json!({
            "metric": self.name,
            "runs": self.spreads,
            "stopped_early": self.early_stops.iter().map(|early| early.key()).collect::<Vec<_>>(),
            "above_first": above.collect::<Vec<_>>(),
        })
    }
}
