//! Student's t: the mean of few numbers, and the difference of two such means.

use super::beta::regularised_beta;

/// Halvings of a range: then nothing of it is left between two numbers.
const HALVINGS: usize = 200;

/// The mean of some numbers, and the 95 % interval of what they are drawn from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanInterval {
    /// Mean of the numbers.
    pub mean: f64,
    /// Their standard deviation, that of a sample.
    pub deviation: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The difference of two means by Welch's test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Welch {
    /// The first mean less the second.
    pub value: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// Upper end of its 95 % interval.
    pub high: f64,
    /// How likely chance alone makes one at least as large.
    pub p_value: f64,
    /// Degrees of freedom; `None` if no number differs from its mean.
    pub freedom: Option<f64>,
}

impl MeanInterval {
    /// Computes the interval of at least two numbers.
    pub fn from_values(values: &[f64]) -> Option<Self> {
        let (mean, variance) = mean_and_variance(values)?;
        let count = values.len() as f64;
        let half = quantile_95(count - 1.0) * (variance / count).sqrt();
        Some(Self { mean, deviation: variance.sqrt(), low: mean - half, high: mean + half })
    }
}

impl Welch {
    /// Compares at least two numbers on either side.
    pub fn from_samples(first: &[f64], second: &[f64]) -> Option<Self> {
        let ((mean, variance), (other, other_variance)) =
            (mean_and_variance(first)?, mean_and_variance(second)?);
        let (count, other_count) = (first.len() as f64, second.len() as f64);
        let (part, other_part) = (variance / count, other_variance / other_count);
        let value = mean - other;
        let error = (part + other_part).sqrt();
        if error <= 0.0 {
            let p_value = if value == 0.0 { 1.0 } else { 0.0 };
            return Some(Self { value, low: value, high: value, p_value, freedom: None });
        }
        let freedom = (part + other_part).powi(2)
            / (part.powi(2) / (count - 1.0) + other_part.powi(2) / (other_count - 1.0));
        let half = quantile_95(freedom) * error;
        let p_value = two_sided_p(value / error, freedom);
        Some(Self { value, low: value - half, high: value + half, p_value, freedom: Some(freedom) })
    }
}

/// Mean and variance of at least two numbers, the variance that of a sample.
fn mean_and_variance(values: &[f64]) -> Option<(f64, f64)> {
    let count = values.len() as f64;
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((mean, squares / (count - 1.0)))
}

/// How likely t lies at least so far from 0, on either side.
pub fn two_sided_p(t: f64, freedom: f64) -> f64 {
    regularised_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5)
}

/// Returns the value that t exceeds, on either side, in 5 of 100 cases.
pub fn quantile_95(freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while two_sided_p(high, freedom) > 0.05 {
        high *= 2.0;
    }
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if two_sided_p(middle, freedom) > 0.05 { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_spread_there_is_no_error() {
        assert_eq!(MeanInterval::from_values(&[0.5]), None);
        let same = MeanInterval::from_values(&[0.5, 0.5, 0.5]).unwrap();
        assert_eq!((same.mean, same.low, same.high, same.deviation), (0.5, 0.5, 0.5, 0.0));
        let apart = Welch::from_samples(&[1.0, 1.0], &[0.0, 0.0]).unwrap();
        assert_eq!((apart.value, apart.p_value, apart.freedom), (1.0, 0.0, None));
        assert_eq!(Welch::from_samples(&[1.0, 1.0], &[1.0, 1.0]).unwrap().p_value, 1.0);
    }

    #[test]
    fn with_one_degree_of_freedom_it_is_a_tangent() {
        let expected = (std::f64::consts::PI * 0.475).tan();
        assert!((quantile_95(1.0) - expected).abs() < 1e-11, "{}", quantile_95(1.0));
        assert!((quantile_95(1e6) - 1.959_966).abs() < 1e-5);
    }
}
