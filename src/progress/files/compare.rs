//! The same number from the log and from a file: equal as far as the log rounds, or a disagreement to be shown.

use crate::progress::text::figure::figure;

/// The log and a file differ about one number.
#[derive(Debug, Clone, PartialEq)]
pub struct Disagreement {
    /// Name of the metric on which they disagree.
    pub name: String,
    /// Value that the log gives.
    pub log: f64,
    /// Value that the file gives.
    pub file: f64,
    /// The name of the file.
    pub file_name: String,
}

/// Means over values that were rounded one by one differ by less.
const LEAST: f64 = 2e-4;

/// No rounding is coarser: `0.8` may be a rounded 0.805, but not a rounded 0.84.
const MOST: f64 = 0.0075;

/// The two are not the same number. Whole numbers are counts and must be equal; otherwise the last digit that the log
/// shows may be rounded.
pub fn differ(log: f64, file: f64) -> bool {
    if log.fract() == 0.0 && file.fract() == 0.0 {
        return log != file;
    }
    let size = log.abs().max(file.abs());
    let rounded = (0.5 * last_digit(log)).min(MOST * size);
    // A half is rounded either way, and neither half is exact in binary.
    (log - file).abs() > rounded.max(LEAST * size) * (1.0 + 1e-9)
}

/// The worth of the last digit of a number as it is printed.
fn last_digit(value: f64) -> f64 {
    let text = value.to_string();
    let decimals = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    10_f64.powi(-i32::try_from(decimals).unwrap_or(i32::MAX))
}

impl Disagreement {
    /// The two numbers where they differ.
    pub fn between(name: &str, log: f64, file: f64, file_name: &str) -> Option<Self> {
        let disagreement = || Self { name: name.to_owned(), log, file, file_name: file_name.to_owned() };
        differ(log, file).then(disagreement)
    }

    /// `success_rate: log says 0.82, eval_info.json says 0.805`.
    pub fn told(&self) -> String {
        let Self { name, log, file, file_name } = self;
        let told = format!("{name}: log says {}, {file_name} says {}", figure(*log), figure(*file));
        if differ(log * 100.0, *file) {
            return told;
        }
        format!("{told}; `scale = 0.01` makes a share of a percentage")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_equal_as_far_as_the_log_rounds() {
        for (log, file) in [
            (0.82, 0.8247),
            (0.8, 0.805),
            (36.9, 36.9279),
            (36.925, 36.9279),
            (-940.0, -939.98),
            (1.0 / 3.0, 0.3333),
        ] {
            assert!(!differ(log, file), "{log} {file}");
        }
        for (log, file) in
            [(0.82, 0.805), (0.8, 0.84), (36.0, 37.0), (1.0, 0.99), (0.0, 0.1), (1000.0, 1001.0)]
        {
            assert!(differ(log, file), "{log} {file}");
        }
    }

    #[test]
    fn a_disagreement_names_both_numbers() {
        let told = |log, file| Disagreement::between("rate", log, file, "r.json").unwrap().told();
        assert_eq!(told(0.82, 0.805), "rate: log says 0.82, r.json says 0.805");
        assert_eq!(told(36.0, 37.0), "rate: log says 36, r.json says 37");
        assert_eq!(told(1.0 / 3.0, 0.25), "rate: log says 0.333333, r.json says 0.25");
        assert!(told(0.82, 82.0).ends_with("says 82; `scale = 0.01` makes a share of a percentage"));
    }

    proptest::proptest! {
        #[test]
        fn every_number_agrees_with_itself_and_its_rounding(value in -1e6_f64..1e6, decimals in 3_usize..8) {
            proptest::prop_assert!(!differ(value, value));
            let rounded: f64 = format!("{value:.decimals$}").parse().unwrap();
            let coarse = value.abs() < 0.05;
            proptest::prop_assert!(coarse || !differ(rounded, value), "{} {}", rounded, value);
        }
    }
}
