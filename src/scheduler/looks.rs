//! When a reading of the machine is too old to promise anything by it, and a new one is asked for.

use std::time::Duration;

use crate::model::units::between;
use crate::scheduler::effect::Effect;
use crate::scheduler::gate;
use crate::scheduler::grant::Grant;
use crate::scheduler::memory::Memory;
use crate::scheduler::turn::Turn;

/// Memory that others took longer ago than this is in the reading by which a shard is started.
const FRESH: Duration = Duration::from_millis(100);

/// A driver that hangs does not hold starts up for longer.
const PATIENCE: Duration = Duration::from_secs(2);

/// The reading is good enough to promise that much by it; asks for another one where it is not.
pub fn is_fresh(turn: &mut Turn, memory: &mut Memory, grant: &Grant) -> bool {
    let promises_memory = grant.claim.ram.is_some() || !grant.claim.vram.is_empty();
    let Some(machine) = memory.knowledge.machine.as_ref().filter(|_| promises_memory) else { return true };
    if between(machine.at, turn.now) <= FRESH {
        return true;
    }
    let asked = *memory.look_asked.get_or_insert_with(|| {
        turn.effect(Effect::Look);
        turn.now
    });
    match asked.checked_add(PATIENCE) {
        Ok(at) if at > turn.now => {
            turn.wake_at(at);
            false
        }
        Ok(_) | Err(_) => true,
    }
}

/// Nobody tells when another run gives back its promises; they are read with each decision.
const AGAIN: Duration = Duration::from_secs(1);

/// Something is refused while other runs hold promises: decides again soon, where no readings of the machine come that
/// would lead to decisions.
pub fn look_again(turn: &mut Turn, memory: &Memory) {
    if !turn.policy.follows_machine() && !memory.knowledge.others.is_empty() {
        gate::after(turn.now, AGAIN).into_iter().for_each(|at| turn.wake_at(at));
    }
}

/// Something is refused for what it needs of the machine, and an attempt has left since the reading: what it held may
/// be free by now, and the next round may be a second away.
pub fn ask_after_end(turn: &mut Turn, memory: &mut Memory) {
    let Some(machine) = &memory.knowledge.machine else { return };
    let is_news =
        turn.tally().newest_end().is_some_and(|end| end >= machine.at) && turn.policy.follows_machine();
    if is_news && memory.look_asked.is_none() {
        memory.look_asked = Some(turn.now);
        turn.effect(Effect::Look);
    }
}
