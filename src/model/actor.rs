//! Who asked for something.

use serde::{Deserialize, Serialize};

/// A user of this machine who asked for something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// The user's number, checked with SO_PEERCRED.
    pub uid: u32,
    /// Process ID of the process that asked.
    pub pid: u32,
}
