//! The regularised incomplete beta function, from which the distributions of t and of rates follow.

/// Terms of the continued fraction; it needs about as many as the root of the larger parameter.
const MOST_TERMS: u32 = 20_000;

/// Stands for 0 where it would be divided by.
const TINY: f64 = 1e-300;

/// How much of the beta distribution with these parameters lies below `x`.
pub fn regularised(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction is quick on this side of the middle only.
    if x > (a + 1.0) / (a + b + 2.0) { 1.0 - lower(1.0 - x, b, a) } else { lower(x, a, b) }
}

fn lower(x: f64, a: f64, b: f64) -> f64 {
    let scale = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b);
    (scale + a * x.ln() + b * (-x).ln_1p()).exp() * fraction(x, a, b) / a
}

/// Lentz' way through the continued fraction.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms_are_met() {
        for x in [0.01, 0.2, 0.5, 0.9, 0.999] {
            assert!((regularised(x, 1.0, 1.0) - x).abs() < 1e-14);
            assert!((regularised(x, 3.0, 1.0) - x.powi(3)).abs() < 1e-14);
            assert!((regularised(x, 1.0, 11.0) - (1.0 - (1.0 - x).powi(11))).abs() < 1e-14);
            assert!((regularised(x, 7.5, 4.2) + regularised(1.0 - x, 4.2, 7.5) - 1.0).abs() < 1e-13);
        }
        assert_eq!((regularised(0.0, 2.0, 3.0), regularised(1.0, 2.0, 3.0)), (0.0, 1.0));
    }
}
