//! A difference of two rates together with how likely chance alone makes it, among all that are told beside it.

use super::difference::{Difference, Sample};
use super::{holm, mantel_haenszel};

/// A difference that chance makes at most so often, over all that are told together, is called one.
const LEVEL: f64 = 0.05;

/// A difference and its test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestedDifference {
    /// The best guess and its 95 % interval, which knows of no other comparison.
    pub difference: Difference,
    /// How likely chance alone makes one at least as large.
    pub p_value: f64,
    /// The same by Holm's method, with regard to all that are told together.
    pub adjusted: f64,
    /// How many these are.
    pub family: usize,
}

impl TestedDifference {
    /// Of like with like, each pair one stratum; none where no pair has episodes on both sides.
    pub fn stratified(strata: &[(Sample, Sample)]) -> Option<Self> {
        let p_value = mantel_haenszel::p_value(strata);
        Some(Self { difference: Difference::stratified(strata)?, p_value, adjusted: p_value, family: 1 })
    }

    /// Chance alone hardly explains it, though it had as many tries as there are comparisons.
    pub fn is_told_apart(&self) -> bool {
        self.adjusted <= LEVEL
    }

    /// `p = .007`, or `p < .001`; with regard to all that are told together.
    pub fn p_text(&self) -> String {
        match self.adjusted {
            p if p < 0.001 => "p < .001".to_owned(),
            p if p > 0.999 => "p = 1".to_owned(),
            p => format!("p = {p:.3}").replacen("0.", ".", 1),
        }
    }
}

/// Lets each know of all the others that are told beside it.
pub fn adjust<'a>(told: impl Iterator<Item = &'a mut TestedDifference>) {
    let mut told: Vec<&mut TestedDifference> = told.collect();
    let p_values: Vec<f64> = told.iter().map(|one| one.p_value).collect();
    for (one, adjusted) in told.iter_mut().zip(holm::adjust(&p_values)) {
        one.adjusted = adjusted;
        one.family = p_values.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(successes: f64, others: f64) -> TestedDifference {
        let sample = |successes| Sample { successes, episodes: 100.0 };
        TestedDifference::stratified(&[(sample(successes), sample(others))]).unwrap()
    }

    #[test]
    fn among_many_a_difference_must_be_larger() {
        let alone = difference(92.0, 81.0);
        assert!(alone.is_told_apart(), "{alone:?}");
        let mut among = [alone, difference(50.0, 50.0), difference(50.0, 51.0)];
        adjust(among.iter_mut());
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
