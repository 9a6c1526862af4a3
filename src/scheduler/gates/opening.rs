//! The times at which shards may start: windows open and close by the wall clock, and what runs is paused by choice.

use jiff::Timestamp;

use crate::model::hours::opening_hours::Hours;
use crate::model::hours::start_hours::OnClose;
use crate::model::ids::AttemptKey;
use crate::model::state::closing::Closing;
use crate::model::state::fact::{Actor, Event};
use crate::model::state::opening::Opening;
use crate::model::state::phase::{PauseCause, Phase};
use crate::model::state::run_state::RunStage;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::effect::Effect;
use crate::scheduler::volatile_state::VolatileState;
use crate::scheduler::wall_clock::WallClock;

/// Opens and closes the run by the wall clock.
pub fn update_opening(builder: &mut DecisionBuilder, volatile: &VolatileState) {
    let has_times = builder.policy.schedule.hours.window.is_some() || builder.opening() != Opening::default();
    // Before the wall clock is known, the state in the journal holds.
    let Some(wall) = volatile.wall.as_ref().filter(|_| has_times) else { return };
    match builder.stage() {
        RunStage::Active | RunStage::Draining => {}
        RunStage::Stopping | RunStage::Ended { .. } => return,
    }
    follow_wall_clock(builder, wall);
    if let Opening::Closed { since, because: Closing::Window, .. } = builder.opening()
        && builder.policy.schedule.hours.on_close == OnClose::Pause
    {
        pause_running(builder, since);
    }
    let next = match builder.opening() {
        Opening::Open { closes } => closes,
        Opening::Early { until } => Some(until),
        Opening::Closed { opens, .. } => Some(opens),
    };
    next.into_iter().for_each(|at| builder.wake_at(wall.run_time(at)));
}

fn follow_wall_clock(builder: &mut DecisionBuilder, wall: &WallClock) {
    let now = wall.wall_time(builder.now);
    let opening = builder.opening();
    match opening {
        Opening::Closed { opens, because: Closing::StartTime, .. } if now < opens => return,
        Opening::Early { until } if now < until => return,
        Opening::Open { .. } | Opening::Early { .. } | Opening::Closed { .. } => {}
    }
    let window = builder.policy.schedule.hours.window.as_ref();
    let hours = window.map_or(Hours::Open { closes: None }, |window| window.state_at(now, &wall.zone));
    let should_be = match hours {
        Hours::Open { closes } => Event::StartsOpened { until: closes, by: None },
        Hours::Shut { opens } => Event::StartsClosed { opens, because: Closing::Window, by: None },
    };
    let mut next = opening;
    next.apply_event(builder.now, &should_be);
    if next == opening {
        return;
    }
    builder.record(should_be);
    if next.opens_at().is_none() {
        resume_paused(builder);
    }
}

/// Opens the run before its time; how many shards go on for it.
pub fn open_early(builder: &mut DecisionBuilder, until: Timestamp, by: &Actor) -> usize {
    builder.record(Event::StartsOpened { until: Some(until), by: Some(by.clone()) });
    resume_paused(builder)
}

/// Pauses what runs and was not paused since the run is closed: what a user lets go on meanwhile goes on.
fn pause_running(builder: &mut DecisionBuilder, since: Timestamp) {
    let active: Vec<usize> = builder.tally().active_positions().iter().copied().collect();
    for position in active {
        let shard = builder.shard(position);
        let Phase::Running(live) = &shard.phase else { continue };
        if live.resumed.is_some_and(|resumed| resumed >= since) {
            continue;
        }
        let key = AttemptKey { shard: shard.id.clone(), attempt: live.attempt };
        let AttemptKey { shard, attempt } = key.clone();
        builder.record(Event::AttemptPaused { shard, attempt, by: None });
        builder.add_effect(Effect::Pause { key });
    }
}

fn resume_paused(builder: &mut DecisionBuilder) -> usize {
    let active: Vec<usize> = builder.tally().active_positions().iter().copied().collect();
    let mut resumed = 0;
    for position in active {
        let shard = builder.shard(position);
        let Phase::Paused { live, cause: PauseCause::Window, .. } = &shard.phase else { continue };
        let key = AttemptKey { shard: shard.id.clone(), attempt: live.attempt };
        let AttemptKey { shard, attempt } = key.clone();
        builder.record(Event::AttemptResumed { shard, attempt, by: None });
        builder.add_effect(Effect::Resume { key });
        resumed += 1;
    }
    resumed
}
