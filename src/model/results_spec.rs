//! What is made of the results: which files are read and merged, and by which rules.

use serde::{Deserialize, Serialize};

use super::key_path::KeyPath;
use super::step_count::StepCount;

/// What is made of the results.
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
    /// What a row is, where rows are merged.
    #[serde(default)]
    pub rows: Rows,
    /// How values of other documents become one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<MergeRule>,
    /// Numbers of environment steps of which the report says how long they take at the measured throughput.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepCount>,
    /// What runs after the last shard.
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
    /// Nothing is merged.
    #[default]
    None,
    /// `eval_info.json` of LeRobot.
    Lerobot,
    /// Lines of JSON.
    Jsonl,
    /// Rows under one header.
    Csv,
    /// Any JSON, by rules.
    Json,
}

/// What a row of a merged file is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rows {
    /// One belongs to one episode, so that they can be counted and ordered.
    #[default]
    Episodes,
    /// Anything: a step, a sample. They are put one behind the other.
    Any,
}

/// How the values at one path become one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeRule {
    /// Which values.
    pub key: KeyPath,
    /// What becomes of them.
    pub way: MergeWay,
}

/// What becomes of the values of several shards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergeWay {
    /// They must be equal.
    Same,
    /// The first shard's is taken.
    First,
    /// They become a list.
    List,
    /// They are lists with one element for each episode.
    Episodes,
    /// They are lists, which are put one behind the other.
    Join,
    /// They are added up.
    Sum,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// The mean, weighed by episodes.
    Mean {
        /// Where the number of episodes stands; left out, it is that of the slice.
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
