//! What ends that were no success taught of the needs of a combo: the shards of one combo do the same work.

use std::collections::BTreeMap;

use crate::model::needs::demand::Demand;
use crate::model::state::run_state::RunState;

/// Amounts that shards of a combo need at least, by the number of the combo.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lessons(BTreeMap<usize, Demand>);

impl Lessons {
    /// Collects the needs that the journal of this run has.
    pub fn of_journal(state: &RunState, combos: &[usize]) -> Self {
        let mut lessons = Self::default();
        for (shard, combo) in state.shards.iter().zip(combos) {
            lessons.learn_demand(*combo, &shard.taught);
        }
        lessons
    }

    /// A shard of the combo needs so much.
    pub fn learn_demand(&mut self, combo: usize, demand: &Demand) {
        let amounts = demand.amounts();
        if !amounts.is_empty() {
            self.0.entry(combo).or_default().raise_to(&amounts);
        }
    }

    /// Returns what every shard of the combo needs at least, where anything was learned.
    pub fn of_combo(&self, combo: usize) -> Option<&Demand> {
        self.0.get(&combo)
    }
}
