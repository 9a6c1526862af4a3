//! The normal distribution: how likely a deviation is, and which deviation is that unlikely.

/// The deviation that a normal variable exceeds, on either side, in 5 of 100 cases.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// How likely a normal variable lies at least so far from its mean, on either side.
pub fn two_sided_p(z: f64) -> f64 {
    libm::erfc(z.abs() / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_of_an_interval_is_left_in_five_of_a_hundred_cases() {
        assert!((two_sided_p(Z_95) - 0.05).abs() < 1e-15);
        assert!((two_sided_p(-Z_95) - 0.05).abs() < 1e-15);
        assert!((two_sided_p(0.0) - 1.0).abs() < f64::EPSILON);
    }
}
