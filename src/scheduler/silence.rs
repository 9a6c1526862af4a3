//! What the silence of a running attempt means: nothing yet, a compiler at work, or a stall.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::state::fact::Condition;
use crate::model::state::phase::Live;
use crate::model::sweep::plan::Schedule;
use crate::scheduler::input::LoadKind;
use crate::scheduler::volatile_state::{LifeSign, LoadInfo};

/// Programs pause between two lines for many reasons; a compiler is thought of only after so long.
const QUIET: Duration = Duration::from_secs(60);

/// Part of `stall_after` after which compilers are looked for, where stalls are looked for sooner than usual.
const QUIET_PART: u32 = 4;

/// A compiler is given so many times as long as anything else before its silence is a stall.
const PATIENCE: u32 = 2;

/// Meaning of silence now, and when that changes if nothing else does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Silence {
    /// Condition that the silence indicates, if any.
    pub condition: Option<Condition>,
    /// When it becomes something else.
    pub changes_at: Option<Timestamp>,
}

/// Judges the silence since `sign`.
pub fn judge_silence(
    schedule: &Schedule,
    sign: LifeSign,
    course: LoadInfo,
    live: &Live,
    now: Timestamp,
) -> Silence {
    let stall_after = schedule.stall_after;
    let compiles = course.may_compile && course.load == Some(LoadKind::ProcessorOnly);
    let patience = if compiles { stall_after.saturating_mul(PATIENCE) } else { stall_after };
    let quiet = if stall_after.is_zero() { QUIET } else { QUIET.min(stall_after / QUIET_PART) };
    let stalls_at = if stall_after.is_zero() { None } else { sign.silent_for(patience, live) };
    let compiles_at = if compiles { sign.silent_for(quiet, live) } else { None };
    let is_due = |at: Option<Timestamp>| at.is_some_and(|at| at <= now);
    if is_due(stalls_at) {
        Silence { condition: Some(Condition::Stalled), changes_at: None }
    } else if is_due(compiles_at) {
        Silence { condition: Some(Condition::Compiling), changes_at: stalls_at }
    } else {
        Silence { condition: None, changes_at: stalls_at.into_iter().chain(compiles_at).min() }
    }
}
