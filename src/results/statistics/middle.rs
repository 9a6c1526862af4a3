//! The middle of a sample: the median with its interval by ranks, and the mean of the middle half.

use serde::Serialize;

use super::distributions::beta::binomial_below;

/// A median and the interval that holds the true one in at least 95 of 100 cases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Median {
    /// The middle value, or the mean of both.
    pub value: f64,
    /// Lower end; `None` of fewer than 6 values, of which no two hold it that surely.
    pub low: Option<f64>,
    /// Upper end of the interval.
    pub high: Option<f64>,
}

impl Median {
    /// The median of a sample; none of an empty one.
    pub fn from_values(values: &[f64]) -> Option<Self> {
        let sorted = sort_values(values);
        let half = sorted.len() / 2;
        let upper = *sorted.get(half)?;
        let value = if sorted.len() % 2 == 1 { upper } else { f64::midpoint(sorted[half - 1], upper) };
        let rank = lower_rank(sorted.len());
        Some(Self {
            value,
            low: rank.map(|rank| sorted[rank - 1]),
            high: rank.map(|rank| sorted[sorted.len() - rank]),
        })
    }
}

/// The 1-based rank of the value from which on the interval of the median begins: the largest that leaves at most 2.5 %
/// below. It ends at the same rank from the top.
fn lower_rank(values: usize) -> Option<usize> {
    (1..=values / 2).take_while(|rank| binomial_below(rank - 1, values, 0.5) <= 0.025).last()
}

/// The mean without the lowest and the highest quarter of the values; none of an empty sample.
pub fn interquartile_mean(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    let (cut, kept) = (values.len() / 4, values.len() - 2 * (values.len() / 4));
    // A bootstrap asks for it ten thousand times: what is cut off need not be in order.
    if cut > 0 {
        values.select_nth_unstable_by(cut, f64::total_cmp);
        values[cut..].select_nth_unstable_by(kept - 1, f64::total_cmp);
    }
    let middle = &values[cut..cut + kept];
    (!middle.is_empty()).then(|| middle.iter().sum::<f64>() / middle.len() as f64)
}

fn sort_values(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    #[test]
    fn the_ranks_are_those_of_the_reference() {
        assert_eq!(
            [5, 6, 10, 20, 50, 100].map(lower_rank),
            [None, Some(1), Some(2), Some(6), Some(18), Some(40)]
        );
        let coverage = |values, rank: usize| 1.0 - 2.0 * binomial_below(rank - 1, values, 0.5);
        for (values, rank, expected) in [
            (6, 1, 0.968_75),
            (10, 2, 0.978_515_625),
            (20, 6, 0.958_610_534_668),
            (100, 40, 0.964_799_799_782),
        ] {
            assert!((coverage(values, rank) - expected).abs() < 1e-11, "{values}");
        }
    }

    #[test]
    fn the_middle_is_that_of_scipy() {
        // `scipy.stats.trim_mean(…, 0.25)`.
        let close = |is: f64, should: f64| assert!((is - should).abs() < 1e-12, "{is} is not {should}");
        close(interquartile_mean(&[0.3, 1.7, 2.2, 2.9, 3.1]).unwrap(), 2.266_666_666_666_667);
        close(interquartile_mean(&[4.0, 1.0, 2.0]).unwrap(), 7.0 / 3.0);
        assert_eq!(interquartile_mean(&[]), None);
        let median = Median::from_values(&[3.0, 1.0, 2.0, 10.0]).unwrap();
        assert_eq!((median.value, median.low, median.high), (2.5, None, None));
        let six = Median::from_values(&[6.0, 1.0, 5.0, 2.0, 4.0, 3.0]).unwrap();
        assert_eq!((six.low, six.high), (Some(1.0), Some(6.0)));
        assert_eq!(Median::from_values(&[]), None);
    }

    proptest! {
        #[test]
        fn the_middle_lies_among_the_values(values in proptest::collection::vec(-1e6..1e6, 1..60)) {
            let (least, most) = (values.iter().copied().fold(f64::MAX, f64::min), values.iter().copied().fold(f64::MIN, f64::max));
            let mean = interquartile_mean(&values).unwrap();
            let median = Median::from_values(&values).unwrap();
            prop_assert!(least - 1e-6 <= mean && mean <= most + 1e-6);
            prop_assert!(median.low.is_none_or(|low| low <= median.value));
            prop_assert!(median.high.is_none_or(|high| median.value <= high));
        }
    }
}
