//! What was read from a log: one line of `marks.jsonl`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::metric_name::MetricName;
use super::stage::Stage;
use super::value_log::ValueLog;
use crate::model::outcome::Progress;

/// Something read from a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// When it was read.
    pub at: Timestamp,
    /// Offset of the line's first byte in `output.log`.
    pub offset: u64,
    /// The content of the line.
    #[serde(flatten)]
    pub kind: MarkKind,
}

/// Something read from a line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "mark", rename_all = "kebab-case")]
pub enum MarkKind {
    /// Progress of the work so far.
    Progress(Progress),
    /// Progress within the next one of the things that progress counts; void with the next progress.
    Part(Progress),
    /// A metric's new value, already reduced over the log so far.
    Metric {
        /// Name of the metric that changed.
        name: MetricName,
        /// Its value; `None` means NaN or infinity, which JSON cannot hold.
        value: Option<f64>,
    },
    /// The state of one value of a pack.
    Value {
        /// The value, as the log prints it.
        value: String,
        /// All that the log has shown of it so far.
        log: Box<ValueLog>,
    },
    /// A line shows a failure of some class.
    Alert(Box<Alert>),
    /// The stage that the program is in.
    Stage(Stage),
    /// The program printed that it is complete.
    Finished,
    /// Progress counts these from now on, in the plural, where it is not what the preset counts.
    Unit {
        /// Name of the things, in the plural.
        name: String,
    },
    /// `auto` settled on this preset.
    Preset {
        /// Name of the preset that was chosen.
        name: String,
    },
}

/// A class of failure seen in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    /// The class, e.g. `gpu-oom`, `traceback`.
    pub kind: String,
    /// Seen that often so far.
    pub count: u64,
    /// The 1-based number of the first such line.
    pub first_line: u64,
    /// The 1-based number of the newest such line; 0 in marks of older versions.
    #[serde(default)]
    pub last_line: u64,
    /// The first line, shortened.
    pub text: String,
    /// Parts that it hit, with how often: the buffers of an overflow, the allocator that ran out of memory.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, u64>,
}

impl Alert {
    /// `3 x physx-overflow (Patch 2, collisionStackSize 1), lines 41 to 44: …`.
    pub fn to_text(&self) -> String {
        let parts: Vec<String> = self.parts.iter().map(|(part, count)| format!("{part} {count}")).collect();
        let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
        let lines = if self.last_line <= self.first_line {
            format!("line {}", self.first_line)
        } else {
            format!("lines {} to {}", self.first_line, self.last_line)
        };
        format!("{} x {}{parts}, {lines}: {}", self.count, self.kind, self.text)
    }
}
