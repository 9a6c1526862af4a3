//! What a rate can be once the episodes that are missing are known.

use serde::Serialize;

/// Between what the rate comes to if all missing episodes fail, and if all succeed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    /// Episodes that were planned and are not known.
    pub missing: f64,
    /// Number of planned episodes.
    pub planned: f64,
    /// All of them fail.
    pub low: f64,
    /// All of them succeed.
    pub high: f64,
}

impl Bounds {
    /// Computes the bounds for so many successes among the episodes that are known; `None` if none is
    /// missing. Nothing is assumed of why they are missing: crashes and time-outs may depend on the policy.
    pub fn from_counts(successes: f64, episodes: f64, planned: f64) -> Option<Self> {
        let missing = planned - episodes;
        let known = (0.0..=episodes).contains(&successes);
        (known && missing > 0.0).then(|| Self {
            missing,
            planned,
            low: successes / planned,
            high: (successes + missing) / planned,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_all_failed_and_all_succeeded() {
        let bounds = Bounds::from_counts(41.0, 50.0, 60.0).unwrap();
        assert!((bounds.low - 41.0 / 60.0).abs() < 1e-15 && (bounds.high - 0.85).abs() < 1e-15, "{bounds:?}");
        assert_eq!((bounds.missing, bounds.planned), (10.0, 60.0));
        assert_eq!(Bounds::from_counts(41.0, 50.0, 50.0), None);
        assert_eq!(Bounds::from_counts(51.0, 50.0, 60.0), None, "counts that cannot be say nothing");
        let nothing = Bounds::from_counts(0.0, 0.0, 60.0).unwrap();
        assert_eq!((nothing.low, nothing.high), (0.0, 1.0));
    }
}
