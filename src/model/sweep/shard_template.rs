//! What every shard, or every instance of a service, runs: templates of the sweep.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::command_template::CommandTemplate;
use super::resume::Resume;

/// Templates of a shard (minijinja), rendered for each attempt when its GPUs, port and folder are known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShardTemplate {
    /// The working directory; relative ones start at the folder of the sweep file, `~` is the home folder.
    pub cwd: String,
    /// Shell lines that must succeed before the command.
    pub setup: Vec<String>,
    /// The command line to run, as templates.
    pub command: CommandTemplate,
    /// Environment variables of the sweep.
    pub env: BTreeMap<String, String>,
    /// Files that must exist and be non-empty for success; may hold `*`.
    pub artifacts: Vec<String>,
    /// Names of variables whose values must not be written to any file but `order.json`.
    pub secret: Vec<String>,
    /// The values of `[resources]` and `[schedule]` that are templates, by their keys.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub needs: BTreeMap<String, String>,
    /// Whether attempts continue where the one before stopped.
    #[serde(default, skip_serializing_if = "Resume::is_never")]
    pub resume: Resume,
}
