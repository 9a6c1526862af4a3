//! A command of the user that is called when something happens to a run.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The command, the moments at which it is called, and its time limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hook {
    /// A line of `bash`.
    pub command: String,
    /// When it is called.
    pub on: Vec<HookMoment>,
    /// How long a call may take before it is killed with all that it has started.
    pub timeout: Duration,
}

impl Hook {
    /// Default limit for one call: long enough for any network.
    pub const USUAL_TIMEOUT: Duration = Duration::from_secs(30);
}

/// When a hook is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum HookMoment {
    /// The run has ended, whichever way.
    RunEnded,
    /// A shard has failed for good, and none had before.
    FirstFailure,
    /// A shard has failed for good.
    Failure,
    /// A shard waits for an answer at a prompt.
    NeedsInput,
    /// A shard has printed nothing for as long as the sweep allows.
    Stuck,
}

impl HookMoment {
    /// Every moment, in the order of the documentation.
    pub const ALL: [Self; 5] =
        [Self::RunEnded, Self::FirstFailure, Self::Failure, Self::NeedsInput, Self::Stuck];

    /// The word in files.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Where a hook is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookSource {
    /// In the sweep file, for everyone who runs it.
    Sweep,
    /// In the settings of the user, for each of their runs.
    Settings,
}
