//! Why a queued shard does not run yet, in words.

use jiff::Timestamp;

use crate::model::plan::Schedule;
use crate::model::run_state::{RunStage, RunState};
use crate::model::units::{between, format_duration};

/// The reason that holds for every shard that may not be started before `not_before`.
pub fn reason(
    state: &RunState,
    schedule: &Schedule,
    supervised: bool,
    not_before: Option<Timestamp>,
    now: Timestamp,
) -> String {
    match state.stage {
        RunStage::Ended { .. } => return "the run was stopped; `evaldeck recover` goes on".to_owned(),
        RunStage::Stopping => return "the run is being stopped".to_owned(),
        RunStage::Draining => return "the run starts nothing more".to_owned(),
        RunStage::Active => {}
    }
    if !supervised {
        return "the run has no supervisor".to_owned();
    }
    if let Some(moment) = not_before.filter(|moment| *moment > now) {
        return format!("tried again in {}", format_duration(between(now, moment)));
    }
    let active = state.active();
    if active >= state.parallel as usize {
        return match state.parallel {
            1 => "the only slot is taken".to_owned(),
            slots => format!("all {slots} slots are taken"),
        };
    }
    let none_ended = state.shards.iter().all(|shard| shard.phase.ended().is_none());
    if schedule.warmup && active == 1 && none_ended {
        return "one shard warms up first".to_owned();
    }
    if !schedule.stagger.is_zero() {
        return format!("starts are {} apart", format_duration(schedule.stagger));
    }
    "about to start".to_owned()
}
