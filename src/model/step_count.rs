//! A number of environment steps, such as 34M.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A number of environment steps, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepCount(u64);

/// A text that is no number of steps.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no number of steps such as `34M`, `100M` or `5000`")]
pub struct StepCountError(String);

/// The letters after a number and what they multiply it by, the largest first.
const UNITS: [(char, u64); 3] = [('G', 1_000_000_000), ('M', 1_000_000), ('k', 1_000)];

impl StepCount {
    /// Returns the count as a plain number.
    pub fn get(self) -> u64 {
        self.0
    }

    /// Seconds that so many steps take; `None` if nothing moves.
    pub fn seconds_at(self, steps_per_s: f64) -> Option<f64> {
        Some(self.0 as f64 / steps_per_s).filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
    }
}

impl FromStr for StepCount {
    type Err = StepCountError;

    fn from_str(text: &str) -> Result<Self, StepCountError> {
        let error = || StepCountError(text.to_owned());
        let trimmed = text.trim();
        let unit = UNITS.into_iter().find(|(letter, _)| trimmed.ends_with(*letter));
        let digits = unit.map_or(trimmed, |_| trimmed[..trimmed.len() - 1].trim_end());
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(error());
        }
        let number: f64 = digits.replace('_', "").parse().map_err(|_| error())?;
        let steps = number * unit.map_or(1.0, |(_, factor)| factor as f64);
        // Larger numbers are not whole in the arithmetic that is used here.
        let fits = (1.0..=9e15).contains(&steps) && steps.fract() == 0.0;
        fits.then_some(Self(steps as u64)).ok_or_else(error)
    }
}

impl fmt::Display for StepCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // One decimal at most: a longer number is clearer as it is.
        let short =
            UNITS.into_iter().find(|(_, factor)| self.0 >= *factor && self.0.is_multiple_of(factor / 10));
        match short {
            Some((letter, factor)) => write!(f, "{}{letter}", self.0 as f64 / factor as f64),
            None => write!(f, "{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_shown_with_their_unit() {
        let shown = |text: &str| text.parse::<StepCount>().map(|count| count.to_string());
        for (text, expected) in
            [("34M", "34M"), ("100000000", "100M"), ("2.5G", "2.5G"), ("1_500", "1.5k"), ("1234", "1234")]
        {
            assert_eq!(shown(text).as_deref(), Ok(expected));
        }
        for wrong in ["", "M", "many", "-5", "0", "1.5", "1e300", "nan", "34MM"] {
            assert!(wrong.parse::<StepCount>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_time_of_steps_is_their_number_over_the_throughput() {
        let steps: StepCount = "34M".parse().unwrap();
        assert_eq!(steps.seconds_at(36_447.0).map(f64::round), Some(933.0));
        assert_eq!(steps.seconds_at(0.0), None);
    }
}
