//! The supervisor's effects: what a decision asks for, once its facts are in the journal.

use tracing::debug;

use super::error::SupervisorError;
use super::event_loop::Supervisor;
use crate::model::command::HolderRequest;
use crate::model::ids::AttemptKey;
use crate::model::sweep::resume::Grants;
use crate::scheduler::effect::Effect;

impl Supervisor {
    /// Carries out what was decided last; a timer that no decision sets any more is over.
    pub(super) async fn carry_out_effects(&mut self, effects: Vec<Effect>) -> Result<(), SupervisorError> {
        self.wake_at = None;
        for effect in effects {
            debug!("effect: {effect:?}");
            match effect {
                Effect::WakeAt(at) => self.wake_at = Some(at),
                Effect::Look => self.executor.telemetry.look_now(),
                Effect::Start { key, .. } => {
                    let (grants, cores, part) =
                        (self.attempt_grants(&key), self.attempt_cores(&key), self.part_of(&key));
                    self.executor.start_attempt(&key, &grants, &cores, part).await?;
                }
                Effect::Stop { key } => self.executor.stop_attempt(&key),
                Effect::Pause { key } => self.executor.request_holder(&key, HolderRequest::Pause),
                Effect::Resume { key } => self.executor.request_holder(&key, HolderRequest::Resume),
                Effect::Order { node, number } => self.write_order(&node, number).await?,
                Effect::Finish { finished } => {
                    self.executor.write_results(self.record.state(), self.collect_history(), finished);
                }
            }
        }
        Ok(())
    }

    /// Returns what an attempt was given when it was announced.
    pub(super) fn attempt_grants(&self, key: &AttemptKey) -> Grants {
        self.state().shard(&key.shard).map(|shard| shard.grants_of(key.attempt)).unwrap_or_default()
    }

    /// The cores that it was given when it was announced.
    fn attempt_cores(&self, key: &AttemptKey) -> Vec<u32> {
        let claim = self.state().shard(&key.shard).and_then(|shard| shard.phase.claim());
        claim.map_or_else(Vec::new, |claim| claim.cores.clone())
    }
}
