//! What never changes while a run lasts: the schedule, the order of the shards and what they need.

use std::cmp::Reverse;

use crate::model::ids::GpuIndex;
use crate::model::plan::{GpuNeed, Order, Plan, Schedule};

/// The rules of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// When and how shards start, wait and end.
    pub schedule: Schedule,
    /// Positions of the shards in the plan, first choice first.
    pub order: Vec<usize>,
    /// The GPUs of the machine.
    pub gpus: Vec<GpuIndex>,
    /// How many of them each shard gets.
    pub gpus_per_shard: usize,
}

impl Policy {
    /// The rules of `plan` on a machine with that many GPUs.
    pub fn from_plan(plan: &Plan, gpus: u32) -> Self {
        let needed = plan.resources.gpus.as_ref().map_or(1, GpuNeed::count);
        Self {
            schedule: plan.schedule.clone(),
            order: start_order(plan),
            gpus: (0..gpus).map(GpuIndex).collect(),
            gpus_per_shard: needed.min(gpus) as usize,
        }
    }
}

/// Shards of unknown length come before all others: any of them may be the longest, and a long one that starts
/// late lengthens the whole run. The sort is stable, so equals stay as listed.
fn start_order(plan: &Plan) -> Vec<usize> {
    let mut order: Vec<usize> = (0..plan.shards.len()).collect();
    match plan.schedule.order {
        Order::AsListed => {}
        Order::LongestFirst => order.sort_by_key(|position| {
            let expected = plan.shards[*position].expected;
            (expected.is_some(), Reverse(expected))
        }),
    }
    order
}
