//! A part of the episodes or tasks of a combo, which one shard does.

use serde::{Deserialize, Serialize};

/// An episode slice: `{{ shard.index }}` and its kin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slice {
    /// 0-based number of the slice within its combo.
    pub index: u32,
    /// Number of slices that the combo is cut into.
    pub count: u32,
    /// Episodes in this slice.
    pub episodes: u64,
    /// The first episode's 0-based number.
    pub first: u64,
    /// The seed of the first episode.
    pub seed: i64,
    /// All 0-based episode numbers of the slice, or those of its tasks.
    pub ids: Vec<u64>,
    /// The unit in which the slice is cut.
    #[serde(default, skip_serializing_if = "SliceUnit::is_episodes")]
    pub unit: SliceUnit,
}

/// Unit in which a combo is cut into slices.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SliceUnit {
    /// Episodes of every task.
    #[default]
    Episodes,
    /// Tasks, each with all of its episodes.
    Tasks,
}

impl SliceUnit {
    fn is_episodes(&self) -> bool {
        *self == Self::Episodes
    }
}
