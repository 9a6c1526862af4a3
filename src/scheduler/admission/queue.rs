//! The queue in the course of one decision: who is admitted, who waits, and for what.

use std::collections::BTreeMap;

use crate::model::shortage::{Shortage, WaitingGroup};
use crate::scheduler::admission::class::NeedClass;
use crate::scheduler::admission::grant::Grant;
use crate::scheduler::admission::ledger::Ledger;
use crate::scheduler::admission::reservation::Reservation;
use crate::scheduler::admission::room::find_room;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::volatile_state::VolatileState;

/// Limit of different needs per decision; further ones wait for the next. Shards of one sweep hardly differ,
/// and a decision must stay short even where all of them do.
const MOST_CLASSES: usize = 64;

/// The queue in the course of one decision.
pub struct Queue {
    /// The accounts, with everything promised so far.
    pub ledger: Ledger,
    /// Room that is kept for the first shard that does not fit.
    pub kept: Option<Reservation>,
    earlier: Option<Reservation>,
    /// Shortage for which each class of shards was refused, as a position in `waiting`. The accounts only shrink within
    /// a decision, so that what was refused once stays refused.
    refused: BTreeMap<NeedClass, usize>,
    /// Group of the shards after the last class that is looked at, as a position in `waiting`.
    behind: Option<usize>,
    /// Groups of shards that wait, each with what it waits for.
    pub waiting: Vec<WaitingGroup>,
}

impl Queue {
    /// Opens the accounts of this decision.
    pub fn for_decision(builder: &DecisionBuilder, volatile: &VolatileState) -> Self {
        Self {
            ledger: Ledger::for_decision(builder, &volatile.knowledge),
            kept: None,
            earlier: volatile.kept.clone(),
            refused: BTreeMap::new(),
            behind: None,
            waiting: Vec::new(),
        }
    }

    /// Returns what the shard gets; `None` if it has to wait.
    pub fn admit_shard(
        &mut self,
        builder: &DecisionBuilder,
        volatile: &VolatileState,
        position: usize,
    ) -> Option<Grant> {
        if self.refused.len() >= MOST_CLASSES {
            self.put_behind(builder, position);
            return None;
        }
        let class =
            NeedClass::for_shard(builder.policy, &volatile.knowledge, position, builder.shard(position));
        if let Some(group) = self.refused.get(&class) {
            self.waiting[*group].shards.push(position);
            return None;
        }
        let need = class.need(builder.policy, &volatile.knowledge, builder.shard(position));
        let how = builder.policy.schedule.placement;
        let short_of = match find_room(&self.ledger, &need, how, self.kept.as_ref()) {
            Ok(grant) => return Some(grant),
            Err(short_of) => short_of,
        };
        if self.kept.is_none() {
            let shard = &builder.shard(position).id;
            self.kept = Reservation::for_shard(&self.ledger, shard, &need, how, self.earlier.as_ref());
        }
        self.refused.insert(class, self.waiting.len());
        self.waiting.push(WaitingGroup { shards: vec![position], short_of });
        None
    }

    /// The shard waits for this, with all others that do.
    pub fn add_waiting(&mut self, position: usize, short_of: Shortage) {
        match self.waiting.iter_mut().find(|group| group.short_of == short_of) {
            Some(group) => group.shards.push(position),
            None => self.waiting.push(WaitingGroup { shards: vec![position], short_of }),
        }
    }

    fn put_behind(&mut self, builder: &DecisionBuilder, position: usize) {
        let group = *self.behind.get_or_insert_with(|| {
            let first = builder.shard(self.waiting[0].shards[0]).id.clone();
            self.waiting.push(WaitingGroup { shards: Vec::new(), short_of: Shortage::Turn { first } });
            self.waiting.len() - 1
        });
        self.waiting[group].shards.push(position);
    }
}
