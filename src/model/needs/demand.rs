//! What a shard needs beyond what its sweep declares, as its earlier ends have taught.

use std::ops::Not;

use serde::{Deserialize, Serialize};

use crate::model::units::Bytes;

/// Needs of a shard beyond those that are declared; they only grow, until a user asks for the shard again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demand {
    /// At least so much VRAM on each of its GPUs, in their order; empty where nothing was learned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vram: Vec<Bytes>,
    /// No other shard may be on its GPUs.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub alone: bool,
    /// At least so much main memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ram: Option<Bytes>,
}

impl Demand {
    /// Reports whether nothing was learned.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes in what was learned besides.
    pub fn raise_to(&mut self, other: &Self) {
        self.vram.resize(self.vram.len().max(other.vram.len()), Bytes(0));
        for (known, learned) in self.vram.iter_mut().zip(&other.vram) {
            *known = (*known).max(*learned);
        }
        self.alone |= other.alone;
        self.ram = self.ram.max(other.ram);
    }

    /// Returns the part that holds for every shard that does the same work: the amounts, and not whether it must be
    /// alone.
    pub fn amounts(&self) -> Self {
        Self { alone: false, ..self.clone() }
    }
}
