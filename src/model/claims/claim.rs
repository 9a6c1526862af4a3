//! What an attempt was promised of the machine when it was announced.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::attempt::ProcessIdentity;
use crate::model::ids::{AttemptKey, RunId, ShardId};
use crate::model::units::Bytes;

/// Resources that an attempt may use; the journal keeps them, so that a new supervisor keeps the promise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// VRAM on each of its GPUs, in their order; unknown where nothing is declared or learned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vram: Vec<Option<Bytes>>,
    /// VRAM that processes of no run here held on each of its GPUs at that moment, where the driver reports it: a
    /// process that has more of it later has taken it since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strangers: Vec<Option<Bytes>>,
    /// Whether other shards may be on its GPUs.
    #[serde(default, skip_serializing_if = "Tenancy::is_shared")]
    pub tenancy: Tenancy,
    /// Number of cores that were promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u32>,
    /// The cores it is pinned to; empty if it may use all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cores: Vec<u32>,
    /// Main memory that was promised, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ram: Option<Bytes>,
    /// The instances of services that it uses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<ShardId>,
}

/// Whether other shards may be on the GPUs of an attempt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tenancy {
    /// Other shards, as far as there is room.
    #[default]
    Shared,
    /// No other shard may be there.
    Alone,
    /// No other shard until its footprint is known.
    Measuring,
}

/// The version of the files in which runs let each other know what they hold.
pub const CLAIMS_VERSION: u32 = 1;

/// Resources that one run holds of the machine: a file next to those of the user's other runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunClaims {
    /// Version of the file, see [`CLAIMS_VERSION`].
    pub version: u32,
    /// The run that holds them.
    pub run: RunId,
    /// The state folder in which it is listed; absent in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_folder: Option<PathBuf>,
    /// Its supervisor, and the keeper that starts it again: while one of them lives, everything here holds.
    pub owners: Vec<ProcessIdentity>,
    /// Its attempts, with the claim of each.
    pub attempts: Vec<AttemptClaim>,
}

/// Resources that one attempt holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptClaim {
    /// The shard and the number of the attempt.
    #[serde(flatten)]
    pub key: AttemptKey,
    /// Its holder, once it is known: while it lives, this holds also without an owner.
    pub holder: Option<ProcessIdentity>,
    /// Its GPUs by the name that does not depend on who asks.
    pub gpus: Vec<String>,
    /// Amounts of them and of the rest of the machine that it was promised.
    pub claim: Claim,
}

impl Claim {
    /// Reports whether nothing was promised.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Tenancy {
    /// Reports whether other shards may be there.
    pub fn is_shared(&self) -> bool {
        *self == Self::Shared
    }
}
