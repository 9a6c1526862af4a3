//! How likely one value of an axis succeeds more often than another one, by Bayes' rule.

use serde::Serialize;

use super::contrast::compared_pairs;
use super::difference::Sample;
use super::group;
use super::posterior::Posterior;
use crate::model::sweep::plan::Plan;
use crate::results::axes;
use crate::results::outcome::ShardOutcome;
use crate::results::statistics::totals::Totals;

/// Two values of an axis over the combos that both have episodes of.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Superiority {
    /// Name of the compared axis.
    pub axis: String,
    /// The value that is asked about.
    pub first: String,
    /// The value it is compared with.
    pub second: String,
    /// How likely the rate of the first is the larger one. Episodes of one state are taken for independent.
    pub probability: f64,
}

/// Every pair of values with episodes of the same combos, axis by axis.
pub fn compute_superiorities(plan: &Plan, outcomes: &[ShardOutcome<'_>]) -> Vec<Superiority> {
    let axes = axes::axes_of_interest(plan);
    let cells: Vec<(Vec<String>, Sample)> = group::group_members(&axes, outcomes)
        .into_iter()
        .filter_map(|(values, members)| {
            let totals = Totals::from_shards(members.iter().map(|position| &outcomes[*position]));
            let sample = Sample { successes: totals.successes?, episodes: totals.episodes? };
            (sample.episodes > 0.0).then_some((values, sample))
        })
        .collect();
    let mut all = Vec::new();
    for (position, axis) in axes.iter().enumerate() {
        let mut values: Vec<&str> = Vec::new();
        for (cell, _) in &cells {
            if !values.contains(&cell[position].as_str()) {
                values.push(&cell[position]);
            }
        }
        for (first, second) in compared_pairs(&values) {
            let Some((ours, theirs)) = common_samples(&cells, position, (first, second)) else { continue };
            let Some((ours, theirs)) = Posterior::from_sample(ours).zip(Posterior::from_sample(theirs))
            else {
                continue;
            };
            all.push(Superiority {
                axis: (*axis).to_owned(),
                first: first.to_owned(),
                second: second.to_owned(),
                probability: ours.probability_above(theirs),
            });
        }
    }
    all
}

/// Both values over the cells of the other axes that both have.
fn common_samples(
    cells: &[(Vec<String>, Sample)],
    position: usize,
    (first, second): (&str, &str),
) -> Option<(Sample, Sample)> {
    let of = |value: &str| cells.iter().filter(move |(cell, _)| cell[position] == value).collect::<Vec<_>>();
    let theirs = of(second);
    let is_like = |one: &[String], other: &[String]| {
        one.iter().zip(other).enumerate().all(|(axis, (one, other))| axis == position || one == other)
    };
    let mut sums: Option<(Sample, Sample)> = None;
    for (cell, sample) in of(first) {
        let Some((_, other)) = theirs.iter().find(|(like, _)| is_like(cell, like)) else { continue };
        let (ours, its) = sums.get_or_insert_default();
        add_sample(ours, sample);
        add_sample(its, other);
    }
    sums
}

fn add_sample(sum: &mut Sample, part: &Sample) {
    sum.successes += part.successes;
    sum.episodes += part.episodes;
}
