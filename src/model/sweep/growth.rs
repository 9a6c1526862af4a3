//! Values that were added to an axis of a run, with the shards that they brought.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::plan::{Plan, ShardSpec};
use super::split::PackSplit;
use crate::model::actor::Actor;
use crate::model::ids::ShardId;
use crate::model::value::Value;

/// Values added to an axis. The shards are part of it, so that a reader of the journal needs no templates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// Name of the axis that got the values.
    pub axis: String,
    /// The new values, none of which the axis had.
    pub values: Vec<Value>,
    /// The new shards, in the order of the sweep; empty if rules leave all new combos out.
    pub shards: Vec<ShardSpec>,
    /// The user who asked; `None` if a watched file came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Actor>,
}

/// Something that gave the plan of a run more shards.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanChange {
    /// A pack became two.
    Split(PackSplit),
    /// An axis got more values.
    Growth(Box<Growth>),
}

impl PlanChange {
    /// How many shards the change brought.
    pub fn added(&self) -> usize {
        match self {
            Self::Split(_) => 1,
            Self::Growth(growth) => growth.shards.len(),
        }
    }

    /// Reports whether the change brought no shard.
    pub fn is_bare(&self) -> bool {
        matches!(self, Self::Growth(growth) if growth.shards.is_empty())
    }
}

impl Growth {
    /// The values as one text: `c, d`.
    pub fn listed_values(&self) -> String {
        self.values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

impl Plan {
    /// The plan after these changes, in their order. Those that it has seen already change nothing.
    pub fn follow_changes(&mut self, changes: &[PlanChange]) {
        for change in changes {
            match change {
                PlanChange::Split(split) => self.apply_splits(std::slice::from_ref(split)),
                PlanChange::Growth(growth) => self.apply_growth(growth),
            }
        }
    }

    fn apply_growth(&mut self, growth: &Growth) {
        let Some(expansion) = &mut self.expansion else { return };
        let Some(axis) = expansion.axes.iter_mut().find(|axis| axis.name == growth.axis) else { return };
        let new: Vec<Value> =
            growth.values.iter().filter(|value| !axis.values.contains(value)).cloned().collect();
        axis.values.extend(new);
        let known: HashSet<&ShardId> = self.shards.iter().map(|shard| &shard.id).collect();
        let new: Vec<ShardSpec> =
            growth.shards.iter().filter(|shard| !known.contains(&shard.id)).cloned().collect();
        self.shards.extend(new);
    }
}
