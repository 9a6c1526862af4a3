//! A difference of two rates together with how likely chance alone makes it, among all that are reported with it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::any_time::EarlyStop;
use super::design::{Design, Relation, Why};
use super::difference::{Difference, Sample};
use super::headline::rates_of_clusters;
use super::paired::pairing::{Joined, PairedSide, join_cells};
use super::{clusters, holm, mantel_haenszel};
use crate::results::statistics::totals::Totals;

/// Level of significance: a difference that chance makes at most so often, over all that are reported together, is
/// called one.
const LEVEL: f64 = 0.05;

/// A difference and its test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestedDifference {
    /// The best guess and its 95 % interval, which knows of no other comparison.
    pub difference: Difference,
    /// How likely chance alone makes one at least as large.
    pub p_value: f64,
    /// The same by Holm's method, with regard to all that are reported together.
    pub adjusted: f64,
    /// How many these are.
    pub family: usize,
    /// The way in which both sides were compared.
    pub design: Design,
    /// The same as if it were unknown which episodes are the same.
    pub unpaired: Difference,
    /// Whether episodes were saved, for which neither interval nor p is adjusted.
    pub early_stop: EarlyStop,
}

impl TestedDifference {
    /// Compares like with like, each pair of sides one cell: episode by episode where both sides report the same ones,
    /// and else by their counts. None where no cell has episodes on both sides.
    pub fn of_cells(cells: &[(PairedSide<'_, '_>, PairedSide<'_, '_>)], relation: Relation) -> Option<Self> {
        let shards = cells.iter().flat_map(|(first, second)| first.shards.iter().chain(&second.shards));
        let early_stop = EarlyStop::of_fixed_plan(shards.copied());
        Some(Self { early_stop, ..Self::designed(cells, relation)? })
    }

    fn designed(cells: &[(PairedSide<'_, '_>, PairedSide<'_, '_>)], relation: Relation) -> Option<Self> {
        let sample =
            |side: &PairedSide<'_, '_>| Totals::from_shards(side.shards.iter().copied()).success_sample();
        let (mut told, mut strata) = (Vec::new(), Vec::new());
        for cell in cells {
            if let (Some(first), Some(second)) = (sample(&cell.0), sample(&cell.1)) {
                told.push(cell.clone());
                strata.push((first, second));
            }
        }
        if let Some(clustered) = Self::clustered(&told, &strata, relation) {
            return Some(clustered);
        }
        let joined = match relation {
            Relation::Methods | Relation::Runs => join_cells(&told),
            Relation::Tasks => Err(Why::OtherTasks),
        };
        match joined {
            Ok(joined) => Some(Self::paired(joined, Difference::stratified(&strata)?)),
            Err(why) => Self::stratified(&strata, why),
        }
    }

    /// Compares like with like, each pair one stratum; `None` if no pair has episodes on both sides.
    pub fn stratified(strata: &[(Sample, Sample)], why: Why) -> Option<Self> {
        let p_value = mantel_haenszel::p_value(strata);
        let difference = Difference::stratified(strata)?;
        let design = Design::Unpaired(why);
        Some(Self::alone(difference, p_value, design, difference))
    }

    /// Compares the clusters of both sides, where each has several.
    fn clustered(
        cells: &[(PairedSide<'_, '_>, PairedSide<'_, '_>)],
        strata: &[(Sample, Sample)],
        relation: Relation,
    ) -> Option<Self> {
        let first: Vec<_> = cells.iter().map(|(side, _)| side.shards.as_slice()).collect();
        let second: Vec<_> = cells.iter().map(|(_, side)| side.shards.as_slice()).collect();
        let (first, second) = (rates_of_clusters(&first), rates_of_clusters(&second));
        let unpaired = Difference::stratified(strata)?;
        let independent = (unpaired, mantel_haenszel::p_value(strata));
        let values = |rates: &BTreeMap<&str, f64>| rates.values().copied().collect::<Vec<_>>();
        let both = first.iter().filter_map(|(name, rate)| Some(rate - second.get(name)?));
        let both: Vec<f64> = both.collect();
        let one_by_one = match relation {
            Relation::Methods => false,
            Relation::Tasks | Relation::Runs => both.len() >= 2,
        };
        let ((difference, p_value), counts) = if one_by_one {
            (clusters::difference_one_by_one(&both, independent)?, (both.len(), both.len()))
        } else {
            let counts = (first.len(), second.len());
            (clusters::cluster_difference(&values(&first), &values(&second), independent)?, counts)
        };
        let design = Design::Clustered { first: counts.0, second: counts.1, one_by_one };
        Some(Self::alone(difference, p_value, design, unpaired))
    }

    /// Compares the same episodes on both sides; `unpaired` is the difference by their counts alone.
    fn paired(joined: Joined, unpaired: Difference) -> Self {
        let Joined { pairs, left_out } = joined;
        let (difference, p_value) = (pairs.difference().unwrap_or(unpaired), pairs.mid_p());
        Self::alone(difference, p_value, Design::Paired { pairs, left_out }, unpaired)
    }

    /// A comparison that nothing else was tested beside.
    fn alone(difference: Difference, p_value: f64, design: Design, unpaired: Difference) -> Self {
        let early_stop = EarlyStop::None;
        Self { difference, p_value, adjusted: p_value, family: 1, design, unpaired, early_stop }
    }

    /// Returns it as a part of a document. `newcombe_95` is by counts alone, whatever the design.
    pub fn to_json(&self) -> Value {
        let Self { difference, p_value, adjusted, family, design, unpaired, early_stop } = self;
        json!({
            "success_rate_difference": difference.value,
            "interval_95": {"low": difference.low, "high": difference.high},
            "newcombe_95": {"low": unpaired.low, "high": unpaired.high},
            "p_value": p_value,
            "p_holm": adjusted,
            "comparisons": family,
            "design": design.to_json(),
            "stopped_early": early_stop.key(),
        })
    }

    /// Chance alone hardly explains it, though it had as many tries as there are comparisons.
    pub fn is_told_apart(&self) -> bool {
        self.adjusted <= LEVEL
    }

    /// Prints `p = .007`, or `p < .001`; adjusted for all that are reported together.
    pub fn p_text(&self) -> String {
        p_text(self.adjusted)
    }
}

/// A p-value as in print: `p = .007`, or `p < .001`.
pub fn p_text(p: f64) -> String {
    match p {
        p if p < 0.001 => "p < .001".to_owned(),
        p if p > 0.999 => "p = 1".to_owned(),
        p => format!("p = {p:.3}").replacen("0.", ".", 1),
    }
}

/// Adjusts each for all the others that are reported with it.
pub fn adjust_differences<'a>(told: impl Iterator<Item = &'a mut TestedDifference>) {
    let mut told: Vec<&mut TestedDifference> = told.collect();
    let p_values: Vec<f64> = told.iter().map(|one| one.p_value).collect();
    for (one, adjusted) in told.iter_mut().zip(holm::adjust_p_values(&p_values)) {
        one.adjusted = adjusted;
        one.family = p_values.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(successes: f64, others: f64) -> TestedDifference {
        let sample = |successes| Sample { successes, episodes: 100.0 };
        TestedDifference::stratified(&[(sample(successes), sample(others))], Why::NotTold).unwrap()
    }

    #[test]
    fn among_many_a_difference_must_be_larger() {
        let alone = difference(92.0, 81.0);
        assert!(alone.is_told_apart(), "{alone:?}");
        let mut among = [alone, difference(50.0, 50.0), difference(50.0, 51.0)];
        adjust_differences(among.iter_mut());
        assert!(!among[0].is_told_apart() && among[0].family == 3, "{:?}", among[0]);
        assert!((among[0].adjusted - 3.0 * alone.p_value).abs() < 1e-12);
        assert_eq!(among[0].difference, alone.difference, "the interval is that of the one comparison");
    }

    #[test]
    fn a_p_value_reads_as_in_print() {
        let of = |adjusted| TestedDifference { adjusted, ..difference(1.0, 2.0) }.p_text();
        assert_eq!([of(0.0234), of(0.0004), of(0.5), of(1.0)], ["p = .023", "p < .001", "p = .500", "p = 1"]);
    }
}
