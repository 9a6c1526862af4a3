//! `[analysis]`: how the results of a sweep are to be compared.

use serde::{Deserialize, Serialize};

/// How the results of a sweep are compared.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AnalysisSpec {
    /// The axes whose values repeat the same with other weights; left out, they are found by their names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<Vec<String>>,
    /// The pairs of episodes by which two policies or runs are compared.
    #[serde(default, skip_serializing_if = "Pairing::is_default")]
    pub paired: Pairing,
    /// A comparison that ends as soon as it is decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopRule>,
}

/// Ends the comparison of an axis' values as soon as it is decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StopRule {
    /// Axis whose values are compared, each with each.
    pub compare: String,
    /// Chance of calling anything different although nothing is, over all looks and all pairs together.
    pub level: f64,
}

/// How the episodes of two policies or runs are paired for a comparison.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// Pairs episodes of the same task, seed and number.
    #[default]
    BySeed,
    /// Pairs episodes of the same task and number, whatever their seeds: the number decides how an episode starts.
    ByNumber,
    /// Pairs no episodes at all.
    Never,
}

impl Pairing {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl AnalysisSpec {
    /// Reports whether the sweep leaves all of it at its defaults.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
