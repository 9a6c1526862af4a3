//! The regularised incomplete beta function, from which the distributions of t and of rates follow.

/// Terms of the continued fraction; it needs about as many as the root of the larger parameter.
const MOST_TERMS: u32 = 20_000;

/// Halvings of the range from 0 to 1: then nothing of it is left between two numbers.
const HALVINGS: u32 = 100;

/// Number used in place of 0 where it would be divided by.
const TINY: f64 = 1e-300;

/// How much of the beta distribution with these parameters lies below `x`.
pub fn regularised_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction is quick on this side of the middle only.
    if x > (a + 1.0) / (a + b + 2.0) { 1.0 - lower_tail(1.0 - x, b, a) } else { lower_tail(x, a, b) }
}

fn lower_tail(x: f64, a: f64, b: f64) -> f64 {
    let scale = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b);
    (scale + a * x.ln() + b * (-x).ln_1p()).exp() * continued_fraction(x, a, b) / a
}

/// Lentz' way through the continued fraction.
fn continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    let kept = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / kept(1.0 - (a + b) * x / (a + 1.0));
    let mut product = d;
    for term in 1..MOST_TERMS {
        let m = f64::from(term);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / kept(1.0 + even * d);
        c = kept(1.0 + even / c);
        product *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / kept(1.0 + odd * d);
        c = kept(1.0 + odd / c);
        product *= d * c;
        if (d * c - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    product
}

/// The logarithm of the beta function.
pub fn ln_beta(a: f64, b: f64) -> f64 {
    libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b)
}

/// Below which `x` so large a part of the beta distribution with these parameters lies.
pub fn beta_quantile(part: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if regularised_beta(middle, a, b) < part { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// How likely at most `successes` of so many tries succeed.
pub fn binomial_below(successes: usize, tries: usize, chance: f64) -> f64 {
    if successes >= tries {
        return 1.0;
    }
    regularised_beta(1.0 - chance, (tries - successes) as f64, successes as f64 + 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    #[test]
    fn closed_forms_are_met() {
        for x in [0.01, 0.2, 0.5, 0.9, 0.999] {
            assert!((regularised_beta(x, 1.0, 1.0) - x).abs() < 1e-14);
            assert!((regularised_beta(x, 3.0, 1.0) - x.powi(3)).abs() < 1e-14);
            assert!((regularised_beta(x, 1.0, 11.0) - (1.0 - (1.0 - x).powi(11))).abs() < 1e-14);
            assert!(
                (regularised_beta(x, 7.5, 4.2) + regularised_beta(1.0 - x, 4.2, 7.5) - 1.0).abs() < 1e-13
            );
        }
        assert_eq!((regularised_beta(0.0, 2.0, 3.0), regularised_beta(1.0, 2.0, 3.0)), (0.0, 1.0));
    }

    #[test]
    fn quantiles_are_those_of_scipy() {
        // scipy 1.14, `stats.beta.ppf` with 1 + k and 1 + n - k.
        let close = |is: f64, should: f64| assert!((is - should).abs() < 1e-11, "{is} is not {should}");
        close(beta_quantile(0.025, 42.0, 10.0), 0.691_274_013_881);
        close(beta_quantile(0.5, 42.0, 10.0), 0.811_655_330_108);
        close(beta_quantile(0.975, 42.0, 10.0), 0.901_756_583_488);
        close(beta_quantile(0.025, 1.0, 11.0), 0.002_298_972_214);
        close(beta_quantile(0.975, 1.0, 11.0), 1.0 - 0.025_f64.powf(1.0 / 11.0));
    }

    #[test]
    fn a_binomial_is_counted_by_hand() {
        let close = |is: f64, should: f64| assert!((is - should).abs() < 1e-13, "{is} is not {should}");
        close(binomial_below(0, 6, 0.5), 1.0 / 64.0);
        close(binomial_below(1, 6, 0.5), 7.0 / 64.0);
        close(binomial_below(6, 6, 0.5), 1.0);
        close(binomial_below(2, 3, 0.2), 1.0 - 0.008);
    }

    proptest! {
        #[test]
        fn a_quantile_is_where_the_part_lies_below(part in 0.001..0.999, a in 0.5..300.0, b in 0.5..300.0) {
            let x = beta_quantile(part, a, b);
            prop_assert!((regularised_beta(x, a, b) - part).abs() < 1e-9, "{x}");
        }
    }
}
