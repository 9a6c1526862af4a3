//! In which order the shards of a plan start.

use std::cmp::Reverse;

use super::comparison_blocks::ComparisonBlocks;
use crate::model::sweep::plan::{Plan, QueueOrder};

impl Plan {
    /// Positions of the shards, the first to start first.
    ///
    /// Shards of unknown length come before all others: any of them may be the longest, and a long one that starts
    /// late lengthens the whole run. Those that failed when they were last tried take at least as long as that took:
    /// work that breaks at once keeps nothing else waiting. The sort is stable, so equals stay as listed.
    pub fn start_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.shards.len()).collect();
        match self.schedule.order {
            QueueOrder::AsListed => {}
            QueueOrder::LongestFirst => order.sort_by_key(|position| {
                let shard = &self.shards[*position];
                let failed_after = || shard.learned.failure.as_ref().map(|failure| failure.after);
                let length = shard.expected_duration().or_else(failed_after);
                (length.is_some(), Reverse(length))
            }),
        }
        // Both sides of a block before those of the next: the sooner both are known, the sooner it may be decided.
        if let Some(blocks) = ComparisonBlocks::from_plan(self) {
            let ranks = blocks.block_ranks();
            order.sort_by_key(|position| ranks[*position]);
        }
        order
    }
}
