//! When a reading of the machine is too old to promise anything by it, and a new one is asked for.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::units::duration_between;
use crate::scheduler::admission::grant::Grant;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::effect::Effect;
use crate::scheduler::gates::gate;
use crate::scheduler::volatile_state::VolatileState;

/// Memory that others took longer ago than this is in the reading by which a shard is started.
const FRESH: Duration = Duration::from_millis(100);

/// A driver that hangs does not hold starts up for longer.
const PATIENCE: Duration = Duration::from_secs(2);

/// The reading is good enough to promise that much by it; asks for another one where it is not.
pub fn is_fresh(builder: &mut DecisionBuilder, volatile: &mut VolatileState, grant: &Grant) -> bool {
    let promises_vram = !grant.claim.vram.is_empty();
    let promises_memory = promises_vram || grant.claim.ram.is_some();
    let Some(machine) = volatile.knowledge.machine.as_ref().filter(|_| promises_memory) else { return true };
    // The host and each card have moments of their own: the oldest of those that matter counts.
    let since = machine.read_since(|gpu| promises_vram && grant.gpus.contains(&gpu));
    let is_answer = volatile.look_asked.is_some_and(|asked| asked <= since);
    // A slow driver's answer may be old when it comes: there will be none younger.
    let young = if is_answer { since.max(volatile.knowledge.heard.unwrap_or(since)) } else { since };
    if duration_between(young, builder.now) <= FRESH {
        return true;
    }
    if !is_awaited(builder, volatile, since) {
        if volatile.look_asked.take_if(|asked| *asked > since).is_some() {
            // It has not answered for too long.
            return true;
        }
        request_look(builder, volatile);
    }
    volatile
        .look_asked
        .and_then(|asked| asked.checked_add(PATIENCE).ok())
        .into_iter()
        .for_each(|at| builder.wake_at(at));
    false
}

fn request_look(builder: &mut DecisionBuilder, volatile: &mut VolatileState) {
    volatile.look_asked = Some(builder.now);
    builder.add_effect(Effect::Look);
}

/// A look was asked for, is not in a reading from that moment on, and may still come.
fn is_awaited(builder: &DecisionBuilder, volatile: &VolatileState, since: Timestamp) -> bool {
    let asked = volatile.look_asked.filter(|asked| *asked > since);
    asked.is_some_and(|asked| asked.checked_add(PATIENCE).is_ok_and(|at| at > builder.now))
}

/// Time between looks at other runs: none of them reports when it gives back its promises; they are read with each
/// decision.
const AGAIN: Duration = Duration::from_secs(1);

/// Something is refused while other runs hold promises: decides again soon, where no readings of the machine come that
/// would lead to decisions.
pub fn look_again(builder: &mut DecisionBuilder, volatile: &VolatileState) {
    if !builder.policy.follows_machine() && !volatile.knowledge.others.is_empty() {
        gate::moment_after(builder.now, AGAIN).into_iter().for_each(|at| builder.wake_at(at));
    }
}

/// Something is refused for what it needs of the machine, and an attempt has left since the reading: what it held may
/// be free by now, and the next round may be a second away.
pub fn ask_after_end(builder: &mut DecisionBuilder, volatile: &mut VolatileState) {
    let Some(machine) = volatile.knowledge.machine.as_ref().filter(|_| builder.policy.follows_machine())
    else {
        return;
    };
    let since = machine.read_since(|gpu| builder.policy.gpus.contains(&gpu));
    let is_news = builder.tally().newest_end().is_some_and(|end| end >= since);
    if is_news && !is_awaited(builder, volatile, since) {
        request_look(builder, volatile);
    }
}
