//! Who asked for something.

use serde::{Deserialize, Serialize};

/// Who asked for something: a user of this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// The user's number, checked with SO_PEERCRED.
    pub uid: u32,
    /// The asking process.
    pub pid: u32,
}
