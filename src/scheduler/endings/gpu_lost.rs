//! The answer to an attempt that failed on a GPU which is of no use any more: another GPU.

use crate::model::failure_trait::FailureTrait;
use crate::model::ids::{AttemptKey, GpuIndex};
use crate::model::outcome::Outcome;
use crate::model::state::fact::Event;
use crate::model::state::shard_state::ShardState;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::learning::footprint::living_key;
use crate::scheduler::volatile_state::VolatileState;

/// The facts by which the rest of the run avoids the GPUs that the attempt lost; `None` where it lost none. Each such
/// end takes GPUs away, so that there can be only so many.
pub fn avoid_lost_gpus(
    builder: &DecisionBuilder,
    volatile: &VolatileState,
    shard: &ShardState,
    outcome: &Outcome,
) -> Option<Vec<Event>> {
    outcome.failure_reason().filter(|reason| reason.has(FailureTrait::MayBeLostGpu))?;
    let key = living_key(shard)?;
    let machine = volatile.knowledge.machine.as_ref()?;
    let fault = |gpu: &GpuIndex| {
        let card = machine.card(*gpu).filter(|card| card.is_lost)?;
        Some((*gpu, card.fault.clone()?))
    };
    let lost: Vec<(GpuIndex, String)> = shard.phase.gpus().iter().filter_map(fault).collect();
    if lost.is_empty() {
        return None;
    }
    let news = lost.into_iter().filter(|(gpu, _)| builder.run_holds().avoid_reason(*gpu).is_none());
    Some(news.map(|(gpu, fault)| avoid_event(gpu, &fault, &key)).collect())
}

fn avoid_event(gpu: GpuIndex, fault: &str, key: &AttemptKey) -> Event {
    Event::GpuAvoided { gpu, reason: format!("avoided since {key} failed there ({fault})") }
}
