//! `[[metric]]`: a metric that the sweep defines itself.

use serde::{Deserialize, Serialize};

use super::key_path::KeyPath;

/// A metric the sweep defines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricSpec {
    /// Its name: a column of the results.
    pub name: String,
    /// Where its values stand.
    #[serde(flatten)]
    pub source: MetricSource,
    /// How several values become one.
    pub reduce: Reduce,
    /// Shown behind the number.
    pub unit: Option<String>,
    /// Each value is multiplied by this: `0.01` makes a share of a percentage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
}

/// Where the values of a metric stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MetricSource {
    /// In lines of the log.
    Log {
        /// A pattern with a group `value`.
        pattern: String,
    },
    /// In a file that the attempt writes.
    File {
        /// Its path, a template; may hold `*`.
        file: String,
        /// Which values of it.
        key: KeyPath,
    },
}

/// How several values become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reduce {
    /// The newest.
    Last,
    /// The first.
    First,
    /// The arithmetic mean.
    Mean,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// All added up.
    Sum,
    /// How many there were.
    Count,
}
