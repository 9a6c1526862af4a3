//! How the shards of a plan came out of its sweep: what is needed to render shards of further values in the same way.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::axis::AxisValues;
use crate::model::units::{maybe_seconds, seconds};

/// Inputs that the expansion of a sweep depended on besides the text of its file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Expansion {
    /// Every axis with its values: those of the start and those that were added since.
    pub axes: Vec<AxisValues>,
    /// Combos at the start, or packs where the sweep packs: `shards = "auto"` follows from their number.
    pub combos: usize,
    /// Shards side by side that `shards = "auto"` was cut for.
    pub slots: u32,
    /// The expression of `--only`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
    /// Axes that take up new files while the run lasts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub watches: Vec<AxisWatch>,
}

impl Expansion {
    /// The axis of that name.
    pub fn axis(&self, name: &str) -> Option<&AxisValues> {
        self.axes.iter().find(|axis| axis.name == name)
    }
}

/// A glob axis with `watch`: new files become values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AxisWatch {
    /// Name of the axis that takes up files.
    pub axis: String,
    /// The pattern, as the sweep has it.
    pub pattern: String,
    /// A pattern; once a file matches it, no new files are expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The watch ends when no file came or changed for this long.
    #[serde(with = "maybe_seconds", default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<Duration>,
    /// A file is complete when it has not changed for this long.
    #[serde(with = "seconds")]
    pub settle: Duration,
    /// The shards run in the folder of the sweep file, so that paths stay relative to it.
    pub keeps_folder: bool,
}
