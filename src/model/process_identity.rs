//! Who a process is.

use serde::{Deserialize, Serialize};

/// A process that cannot be mistaken for a later one with the same pid.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProcessIdentity {
    /// Process id, in the namespace given below.
    pub pid: u32,
    /// Clock ticks from boot to its start: field 22 of `/proc/PID/stat`.
    pub start_ticks: u64,
    /// The boot it lives in: `/proc/sys/kernel/random/boot_id`.
    pub boot_id: String,
    /// The namespace of its number, by the inode of `/proc/self/ns/pid`; unknown in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid_namespace: Option<u64>,
}
