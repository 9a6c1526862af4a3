//! `[[metric]]`: a metric that the sweep defines itself.

use serde::{Deserialize, Serialize};

use crate::model::key_path::KeyPath;

/// A metric the sweep defines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricSpec {
    /// Its name: a column of the results.
    pub name: String,
    /// Lines or file from which its values are read.
    #[serde(flatten)]
    pub source: MetricSource,
    /// How several values become one.
    pub reduce: Reduce,
    /// Text shown after the number.
    pub unit: Option<String>,
    /// Each value is multiplied by this: `0.01` makes a share of a percentage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
}

/// Lines or file from which the values of a metric are read.
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
        /// Path of the values in the file.
        key: KeyPath,
    },
}

/// How several values become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reduce {
    /// The newest of the values.
    Last,
    /// The first of the values.
    First,
    /// The arithmetic mean of the values.
    Mean,
    /// The smallest of the values.
    Min,
    /// The largest of the values.
    Max,
    /// The sum of the values.
    Sum,
    /// How many there were.
    Count,
}
