//! Why a queued shard was taken out.

use serde::{Deserialize, Serialize};

/// Why a queued shard was taken out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CancelCause {
    /// A user asked for it.
    #[default]
    Asked,
    /// The comparison that it was to add to is decided.
    ComparisonDecided,
    /// It is not at this node.
    NotHere,
}

impl CancelCause {
    /// Reports whether a user asked for it.
    pub fn is_asked(&self) -> bool {
        *self == Self::Asked
    }

    /// A few words for people.
    pub fn as_text(self) -> &'static str {
        match self {
            Self::Asked => "taken out of the queue",
            Self::NotHere => "not at this node",
            Self::ComparisonDecided => "not needed: its comparison is decided",
        }
    }
}
