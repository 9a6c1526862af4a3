//! What an attempt was promised of the machine when it was announced.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::attempt::ProcessIdentity;
use super::ids::{AttemptKey, RunId, ShardId};
use super::units::Bytes;

/// What an attempt may use; the journal keeps it, so that a new supervisor keeps the promise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// VRAM on each of its GPUs, in their order; unknown where nothing is declared or learned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vram: Vec<Option<Bytes>>,
    /// VRAM that processes of nobody's run here held on each of its GPUs at that moment, where the driver tells it: who
    /// has more of it later has taken it since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strangers: Vec<Option<Bytes>>,
    /// Who else may be on its GPUs.
    #[serde(default, skip_serializing_if = "Tenancy::is_shared")]
    pub tenancy: Tenancy,
    /// Cores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u32>,
    /// The cores it is pinned to; none where it may use all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cores: Vec<u32>,
    /// Main memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ram: Option<Bytes>,
    /// The instances of services that it uses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<ShardId>,
}

/// Who else may be on the GPUs of an attempt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tenancy {
    /// Other shards, as far as there is room.
    #[default]
    Shared,
    /// No other shard.
    Alone,
    /// No other shard until its footprint is known.
    Measuring,
}

/// The version of the files in which runs tell one another what they hold.
pub const CLAIMS_VERSION: u32 = 1;

/// What one run holds of the machine: a file beside those of the user's other runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunClaims {
    /// See [`CLAIMS_VERSION`].
    pub version: u32,
    /// The run.
    pub run: RunId,
    /// The state folder in which it is listed; files of earlier versions do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_folder: Option<PathBuf>,
    /// Its supervisor, and the keeper that starts it again: while one of them lives, everything here holds.
    pub owners: Vec<ProcessIdentity>,
    /// Its attempts.
    pub attempts: Vec<AttemptClaim>,
}

/// What one attempt holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptClaim {
    /// Which.
    #[serde(flatten)]
    pub key: AttemptKey,
    /// Its holder, once it is known: while it lives, this holds also without an owner.
    pub holder: Option<ProcessIdentity>,
    /// Its GPUs by the name that does not depend on who asks.
    pub gpus: Vec<String>,
    /// What it was promised of them and of the rest of the machine.
    pub claim: Claim,
}

impl Claim {
    /// Nothing was promised.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Tenancy {
    /// Other shards may be there.
    pub fn is_shared(&self) -> bool {
        *self == Self::Shared
    }
}
