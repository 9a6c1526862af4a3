//! The parts of a run that a warning can be about.

use serde::{Deserialize, Serialize};

/// Part of a run that a warning is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarningTopic {
    /// Results could not be written.
    Results,
    /// A merged file is partial or was refused.
    Merge,
    /// The user's hook failed or was not called.
    Hook,
    /// A watched file brought no shards.
    Watch,
}
