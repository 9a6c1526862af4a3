//! What is made of the results: which files are read and merged, and by which rules.

use serde::{Deserialize, Serialize};

use crate::model::key_path::KeyPath;
use crate::model::step_count::StepCount;

/// Rules for the results: which files are read and merged, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultsSpec {
    /// A result file of a known format, as a template; may hold `*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// How the files of shards become one.
    pub merge: Merge,
    /// The file of each shard that is merged, as a template; may hold `*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_file: Option<String>,
    /// The meaning of a row, where rows are merged.
    #[serde(default)]
    pub rows: RowMeaning,
    /// How values of other documents become one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<MergeRule>,
    /// Numbers of environment steps for which the report gives how long they take at the measured throughput.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepCount>,
    /// The command that runs after the last shard.
    pub reporter: Option<Reporter>,
}

/// A shell command after the last shard; all parts are templates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "WrittenReporter")]
pub struct Reporter {
    /// A line or more for bash.
    pub command: String,
    /// Its folder; a relative one starts at that of the sweep file.
    pub cwd: String,
    /// Steps before it, each of which must succeed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
}

/// Plans of earlier versions have the command alone, which ran in the folder of the sweep file and without setup.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenReporter {
    Command(String),
    Whole {
        command: String,
        cwd: String,
        #[serde(default)]
        setup: Vec<String>,
    },
}

impl From<WrittenReporter> for Reporter {
    fn from(written: WrittenReporter) -> Self {
        match written {
            WrittenReporter::Command(command) => Self { command, cwd: ".".to_owned(), setup: Vec::new() },
            WrittenReporter::Whole { command, cwd, setup } => Self { command, cwd, setup },
        }
    }
}

/// How the files of shards become one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Merge {
    /// Files stay apart, nothing is merged.
    #[default]
    None,
    /// `eval_info.json` as LeRobot writes it.
    Lerobot,
    /// JSON Lines, one row on each line.
    Jsonl,
    /// Rows under one header.
    Csv,
    /// Any JSON, by rules.
    Json,
}

/// Meaning of a row in a merged file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowMeaning {
    /// Each row belongs to one episode, so that rows can be counted and ordered.
    #[default]
    Episodes,
    /// Anything: a step, a sample. Rows are concatenated.
    Any,
}

/// How the values at one path become one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeRule {
    /// The path of the values in a document.
    pub key: KeyPath,
    /// How the values at that path become one.
    pub way: MergeWay,
}

/// How the values of several shards become one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergeWay {
    /// All shards must have the same value.
    Same,
    /// The first shard's is taken.
    First,
    /// The values become the elements of a list.
    List,
    /// The values are lists with one element for each episode.
    Episodes,
    /// The values are lists, which are concatenated.
    Join,
    /// The values are added up.
    Sum,
    /// The smallest of the values.
    Min,
    /// The largest of the values.
    Max,
    /// The mean, weighed by episodes.
    Mean {
        /// The path of the number of episodes; if it is left out, that of the slice counts.
        weight: Option<KeyPath>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reporter_of_an_earlier_plan_is_read() {
        let old: Reporter = serde_json::from_str("\"python r.py\"").unwrap();
        let expected = Reporter { command: "python r.py".to_owned(), cwd: ".".to_owned(), setup: Vec::new() };
        assert_eq!(old, expected);
        let text = serde_json::to_string(&expected).unwrap();
        assert_eq!(serde_json::from_str::<Reporter>(&text).unwrap(), expected);
    }
}
