//! What earlier runs of a sweep taught of the work of its shards: how long it takes, and how much VRAM.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ids::RunId;
use super::units::{Bytes, maybe_seconds, seconds};

/// The version of the files in which runs leave what they learned.
pub const HISTORY_VERSION: u32 = 1;

/// Findings of earlier runs about a shard's work, gathered when its run is created.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardHistory {
    /// How long the same work took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<DurationHistory>,
    /// How much VRAM the same work took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vram: Option<VramHistory>,
    /// The same work failed when it was last tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureHistory>,
    /// How many values of a pack fit, where the shard is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<PackHistory>,
}

/// A duration and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DurationHistory {
    /// The mean over the attempts of that run that succeeded, without their pauses.
    #[serde(with = "seconds", rename = "took_s")]
    pub took: Duration,
    /// The part of it before its first step.
    #[serde(with = "maybe_seconds", rename = "loading_s", default, skip_serializing_if = "Option::is_none")]
    pub loading: Option<Duration>,
    /// The part of it after its last step.
    #[serde(with = "maybe_seconds", rename = "closing_s", default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<Duration>,
    /// The run that it comes from.
    pub run: RunId,
}

/// A footprint and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VramHistory {
    /// The most on each GPU of a shard.
    #[serde(rename = "peaks_bytes")]
    pub peaks: Vec<Bytes>,
    /// The run that it comes from.
    pub run: RunId,
}

/// The failure that a run left of a kind of work, and that no later run has disproved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureHistory {
    /// How long the longest attempt ran, without its pauses: the work takes at least that long.
    #[serde(with = "seconds", rename = "after_s")]
    pub after: Duration,
    /// The run that it comes from.
    pub run: RunId,
}

/// Sizes of packs and where they come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackHistory {
    /// Smallest size that failed and largest that fit.
    #[serde(flatten)]
    pub sizes: PackSizes,
    /// The run that they come from.
    pub run: RunId,
}

/// Numbers of values at which packs ran out of memory, and at which they succeeded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackSizes {
    /// The smallest that ran out of memory, where none at least as large has succeeded since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub too_large: Option<usize>,
    /// The largest that succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fits: Option<usize>,
}

impl PackSizes {
    /// Reports whether no size is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// A pack of that many values ran out of memory.
    pub fn fail_at(&mut self, values: usize) {
        self.too_large = Some(self.too_large.map_or(values, |known| known.min(values)));
    }

    /// A pack of that many values succeeded, so that a smaller one that failed was not too large by itself.
    pub fn fit_at(&mut self, values: usize) {
        self.fits = self.fits.max(Some(values));
        self.too_large = self.too_large.filter(|too_large| *too_large > values);
    }

    /// The same with what others have shown, as far as it does not contradict these.
    pub fn completed_by(self, others: Self) -> Self {
        let could_fit = |fits: &usize| self.too_large.is_none_or(|too_large| *fits < too_large);
        let fits = self.fits.max(others.fits.filter(could_fit));
        let is_open = |too_large: &usize| fits.is_none_or(|fits| *too_large > fits);
        let too_large = [self.too_large, others.too_large.filter(is_open)].into_iter().flatten().min();
        Self { too_large, fits }
    }
}

/// Findings of one run about one kind of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComboHistory {
    /// The work: a hash of everything that makes it another.
    pub work: String,
    /// Models of the GPUs that it could use, or the host where there are none.
    pub machine: String,
    /// The values of the combo, for people.
    pub combo: String,
    /// Episodes in each shard, where the sweep slices combos; less of them take less time.
    pub episodes: Option<u64>,
    /// The mean over the attempts that succeeded, without their pauses.
    #[serde(with = "maybe_seconds", rename = "took_s", default)]
    pub took: Option<Duration>,
    /// The mean of that before the first step, where all of them report it.
    #[serde(with = "maybe_seconds", rename = "loading_s", default, skip_serializing_if = "Option::is_none")]
    pub loading: Option<Duration>,
    /// The same after the last step.
    #[serde(with = "maybe_seconds", rename = "closing_s", default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<Duration>,
    /// The most on each GPU; empty where it could not be measured.
    #[serde(rename = "vram_bytes", default)]
    pub vram: Vec<Bytes>,
    /// How long the longest attempt ran, where none succeeded and some failed.
    #[serde(
        with = "maybe_seconds",
        rename = "failed_after_s",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub failed_after: Option<Duration>,
    /// The sizes of packs, where the work is that of a family of packs.
    #[serde(default, skip_serializing_if = "PackSizes::is_empty")]
    pub pack: PackSizes,
    /// The run that learned it.
    pub run: RunId,
    /// When it was written.
    pub at: Timestamp,
}

impl ShardHistory {
    /// Reports whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same work succeeded in an earlier run, be it with another number of episodes.
    pub fn has_succeeded(&self) -> bool {
        self.time.is_some() || self.vram.is_some()
    }
}

impl ComboHistory {
    /// Returns the kind of this experience: of two with the same kind the newer one counts. A failure replaces no
    /// duration.
    pub fn kind(&self) -> (&str, &str, Option<u64>, bool) {
        (&self.work, &self.machine, self.episodes, self.failed_after.is_some())
    }
}
