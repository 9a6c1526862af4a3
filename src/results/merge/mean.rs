//! The mean of a list as different programs round it, and which of them wrote the files at hand.

/// A way to add up a list. The exact sums are the same; the last digit of what is rounded is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Summation {
    /// `numpy.nanmean`: pairwise in blocks, what is not a number left out.
    NumPy,
    /// Numbers added one after the other: Python before 3.12.
    Plain,
    /// With the lost digits kept separately: `sum` of Python since 3.12.
    Compensated,
}

/// How a percentage is made of a list of outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Percent {
    /// The mean, times 100.
    OfMean,
    /// 100 times the sum, divided by the count.
    OfSum,
}

/// How a program calculates its averages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arithmetic {
    /// How it adds up.
    pub summation: Summation,
    /// How it makes percentages.
    pub percent: Percent,
}

impl Arithmetic {
    /// The likeliest first: LeRobot's own.
    pub const ALL: [Self; 6] = [
        Self { summation: Summation::NumPy, percent: Percent::OfMean },
        Self { summation: Summation::NumPy, percent: Percent::OfSum },
        Self { summation: Summation::Plain, percent: Percent::OfMean },
        Self { summation: Summation::Plain, percent: Percent::OfSum },
        Self { summation: Summation::Compensated, percent: Percent::OfMean },
        Self { summation: Summation::Compensated, percent: Percent::OfSum },
    ];

    /// The mean; not a number for none.
    pub fn mean(self, values: &[f64]) -> f64 {
        self.summation.total(values) / self.summation.count(values)
    }

    /// The mean as a percentage.
    pub fn percent(self, values: &[f64]) -> f64 {
        match self.percent {
            Percent::OfMean => self.mean(values) * 100.0,
            Percent::OfSum => 100.0 * self.summation.total(values) / self.summation.count(values),
        }
    }
}

impl Summation {
    fn total(self, values: &[f64]) -> f64 {
        match self {
            Self::NumPy => {
                // `nanmean` adds zeros where there is no number.
                let known: Vec<f64> =
                    values.iter().map(|value| if value.is_nan() { 0.0 } else { *value }).collect();
                pairwise_sum(&known)
            }
            Self::Plain => values.iter().fold(0.0, |sum, value| sum + value),
            Self::Compensated => compensated_sum(values),
        }
    }

    fn count(self, values: &[f64]) -> f64 {
        match self {
            Self::NumPy => values.iter().filter(|value| !value.is_nan()).count() as f64,
            Self::Plain | Self::Compensated => values.len() as f64,
        }
    }
}

/// NumPy's `pairwise_sum`: eight sums side by side in blocks of up to 128, halves above that.
fn pairwise_sum(values: &[f64]) -> f64 {
    if values.len() < 8 {
        return values.iter().fold(0.0, |sum, value| sum + value);
    }
    if values.len() > 128 {
        let half = values.len() / 2;
        let (left, right) = values.split_at(half - half % 8);
        return pairwise_sum(left) + pairwise_sum(right);
    }
    let mut sums = [0.0; 8];
    let blocks = values.chunks_exact(8);
    let rest = blocks.remainder();
    for (position, block) in blocks.enumerate() {
        for (sum, value) in sums.iter_mut().zip(block) {
            *sum = if position == 0 { *value } else { *sum + value };
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    let sum = ((a + b) + (c + d)) + ((e + f) + (g + h));
    rest.iter().fold(sum, |sum, value| sum + value)
}

/// Adds up by Neumaier's compensated summation.
fn compensated_sum(values: &[f64]) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    for value in values {
        let next = sum + value;
        lost += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
        sum = next;
    }
    if lost.is_finite() { sum + lost } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::merge::python_float::repr;

    /// The means that NumPy 2.4, a loop of Python and `math.fsum` compute for each count.
    const EXPECTED: [(u32, &str, &str, &str); 3] = [
        (7, "93877.83673469388", "93877.83673469388", "93877.83673469388"),
        (103, "154167.29542302358", "154167.29542302355", "154167.29542302358"),
        (1000, "158742.1302857143", "158742.13028571417", "158742.1302857143"),
    ];

    fn values(count: u32) -> Vec<f64> {
        (0..count).map(|i| f64::from(i * 7919 % 1009) / 7.0 * f64::from(10_u32.pow(i % 5))).collect()
    }

    #[test]
    fn means_have_the_last_digit_of_the_program_that_made_them() {
        let mean =
            |summation, count| repr(Arithmetic { summation, percent: Percent::OfMean }.mean(&values(count)));
        for (count, numpy, plain, compensated) in EXPECTED {
            assert_eq!(mean(Summation::NumPy, count), numpy, "NumPy, {count}");
            assert_eq!(mean(Summation::Plain, count), plain, "plain, {count}");
            assert_eq!(mean(Summation::Compensated, count), compensated, "compensated, {count}");
        }
    }

    #[test]
    fn what_is_not_a_number_is_left_out_by_numpy_only() {
        let list = [1.0, f64::NAN, 3.0];
        let mean = |summation| Arithmetic { summation, percent: Percent::OfMean }.mean(&list);
        assert_eq!(mean(Summation::NumPy), 2.0);
        assert!(mean(Summation::Plain).is_nan());
        assert!(Arithmetic::ALL[0].mean(&[]).is_nan());
    }
}
