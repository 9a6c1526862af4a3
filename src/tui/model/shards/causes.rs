//! What holds queued shards up, from all that the screen knows.

use crate::model::state::phase::{Phase, PhaseKind};
use crate::results::status::waiting::Causes;
use crate::tui::model::screen::Model;

impl Model {
    /// How many shards have or are about to have a process.
    fn count_active(&self) -> usize {
        PhaseKind::ALL.into_iter().filter(|kind| kind.is_active()).map(|kind| self.count_in_phase(kind)).sum()
    }

    /// Why the shard at that position does not run yet, or not now; `None` if it is neither queued nor paused
    /// for a window.
    pub fn waiting_reason(&self, position: usize) -> Option<String> {
        let shard = self.state.shards.get(position)?;
        let causes = Causes {
            state: &self.state,
            plan: &self.plan,
            supervised: !self.is_unsupervised(),
            waiting: self.machine.waiting.as_ref(),
            inventory: self.machine.inventory.as_ref(),
            active: self.count_active(),
            now: self.now,
            zone: &self.zone,
        };
        match &shard.phase {
            Phase::Queued { not_before, .. } => Some(causes.waiting_reason(position, &shard.id, *not_before)),
            Phase::Paused { cause, .. } => causes.pause_reason(*cause),
            Phase::Starting { .. }
            | Phase::Running(_)
            | Phase::Stopping { .. }
            | Phase::Succeeded(_)
            | Phase::Failed { .. }
            | Phase::Cancelled { .. } => None,
        }
    }
}
