//! Why the watch of an axis ended.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::units::{format_duration, seconds};

/// Why new files become no values of an axis any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "because", rename_all = "kebab-case")]
pub enum WatchEnd {
    /// A user asked for it.
    Asked,
    /// The file that `until` names is there.
    Done {
        /// Name of the file that `until` found.
        file: String,
    },
    /// No file came or changed for a while.
    Idle {
        /// How long no file came or changed.
        #[serde(with = "seconds", rename = "for_s")]
        after: Duration,
    },
}

impl fmt::Display for WatchEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked => f.write_str("asked for"),
            Self::Done { file } => write!(f, "{file} is there"),
            Self::Idle { after } => write!(f, "no new file for {}", format_duration(*after)),
        }
    }
}
