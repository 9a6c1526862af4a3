//! What users ask of a run, and what they are answered.

use jiff::Timestamp;

use crate::model::command::{Command, ControlReply, Selection};
use crate::model::ids::{GpuIndex, ShardId};
use crate::model::priority::Priority;
use crate::model::state::closing::Closing;
use crate::model::state::fact::{Actor, Event};
use crate::model::state::phase::{PhaseKind, QueueCause};
use crate::model::state::run_state::RunStage;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::edit::Edit;
use crate::model::units::Bytes;
use crate::scheduler::commands::growth;
use crate::scheduler::commands::verbs::{self, KILL, PAUSE, REQUEUE, RESUME, UNDO, set_priority};
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::gates::opening;
use crate::scheduler::returning::return_waiting;
use crate::scheduler::run_end::was_cut_short;
use crate::scheduler::services::restarts;
use crate::scheduler::stops::stop_all;

/// So many shards are named in an answer.
const NAMED: usize = 5;

/// Carries out a command as far as possible, and returns the reply.
pub fn execute_command(builder: &mut DecisionBuilder, command: &Command, by: &Actor) -> ControlReply {
    match command {
        Command::Pause { shards } => PAUSE.apply(builder, shards, by),
        Command::Resume { shards } => RESUME.apply(builder, shards, by),
        Command::Kill { shards } => KILL.apply(builder, shards, by),
        Command::Requeue { shards } => requeue_shards(builder, shards, by),
        Command::Restart { services } => restarts::restart_services(builder, services, by),
        Command::RequeueEdited { shard, edit } => requeue_edited(builder, shard, edit, by),
        Command::Undo { shards } => undo_requeue(builder, shards, by),
        Command::SetPriority { priority, .. } if !priority.is_allowed() => {
            ControlReply::unusable(format!("a priority lies between -{0} and {0}", Priority::MOST))
        }
        Command::SetPriority { shards, priority } => set_priority(builder, shards, *priority, by),
        Command::Stop { now: false } => drain_run(builder, by),
        Command::Stop { now: true } => stop_now(builder, by),
        Command::Continue => go_on(builder, Some(by)),
        Command::SetParallel { parallel } => set_parallel(builder, *parallel, by),
        Command::SetReserve { vram } => set_reserve(builder, *vram, by),
        Command::SetGpus { devices } => set_gpus(builder, devices, by),
        Command::StartNow => start_now(builder, by),
        Command::StartAt { at } => start_at(builder, *at, by),
        // What they bring is rendered before; a caller that skips that changes nothing.
        Command::AddValues { .. } => ControlReply::unusable("values come with the shards that they bring"),
        Command::Unwatch { axis } => growth::unwatch_axis(builder, axis.as_deref(), by),
        Command::Ping => done_reply(0, None),
    }
}

/// Goes on after a stop: what waited is started again, and so is what the stop cut short.
pub fn go_on(builder: &mut DecisionBuilder, by: Option<&Actor>) -> ControlReply {
    let cut_short: Vec<_> =
        builder.shards().filter(|shard| was_cut_short(shard)).map(|s| s.id.clone()).collect();
    let has_work = !cut_short.is_empty() || builder.shards().any(|shard| !shard.phase.kind().is_final());
    match builder.stage() {
        RunStage::Active if builder.run_holds().holds_any() => {
            builder.record(Event::HoldsReleased { by: by.cloned() });
        }
        // Its run has more for it, and somebody has seen to what it could not run.
        RunStage::Active | RunStage::Ended { .. } if builder.own_node().is_some() => {
            builder.record(Event::RunContinued { by: by.cloned() });
        }
        RunStage::Active if cut_short.is_empty() => {
            return done_reply(0, Some("the run is going on already".into()));
        }
        RunStage::Ended { .. } if !has_work => {
            return ControlReply::unusable("every shard has ended: requeue those that are to run again");
        }
        RunStage::Active => {}
        RunStage::Draining | RunStage::Stopping | RunStage::Ended { .. } => {
            builder.record(Event::RunContinued { by: by.cloned() });
        }
    }
    restarts::release_failed(builder, by);
    let shards = cut_short.len();
    for shard in cut_short {
        builder.record(restarts::queued_event(shard, QueueCause::Recovered, by, None));
    }
    done_reply(shards, None)
}

fn requeue_shards(builder: &mut DecisionBuilder, selection: &Selection, by: &Actor) -> ControlReply {
    noting_stage(builder, |builder| REQUEUE.apply(builder, selection, by))
}

/// The answer explains what the requeue means for a run that is being stopped, or is over.
fn noting_stage(
    builder: &mut DecisionBuilder,
    requeue: impl FnOnce(&mut DecisionBuilder) -> ControlReply,
) -> ControlReply {
    let stage = builder.stage();
    let waiting = builder.shards().filter(|shard| shard.phase.kind() == PhaseKind::Queued).count();
    let mut reply = requeue(builder);
    if let ControlReply::Done { notes, .. } = &mut reply {
        match stage {
            RunStage::Active => {}
            RunStage::Draining | RunStage::Stopping => {
                notes.push("the run is being stopped: nothing starts until it is continued".into());
            }
            RunStage::Ended { .. } if waiting == 0 => notes.push("the run goes on".into()),
            RunStage::Ended { .. } => {
                notes.push(format!("the run goes on, with {waiting} more that were still queued"));
            }
        }
    }
    reply
}

/// A requeue that lets a run go on, or releases what was held, lets others start as well; who takes it back has to know
/// that it does not stop those.
fn undo_requeue(builder: &mut DecisionBuilder, selection: &Selection, by: &Actor) -> ControlReply {
    let released = builder.run_holds().released_at();
    let has_released = |shard: &&ShardState| shard.former.is_some() && shard.asked == released;
    let before = builder.shards().filter(has_released).count();
    let mut reply = UNDO.apply(builder, selection, by);
    let is_undone = builder.shards().filter(has_released).count() < before;
    if let (ControlReply::Done { notes, .. }, RunStage::Active, true) =
        (&mut reply, builder.stage(), is_undone)
    {
        let (queued, started) = (builder.tally().count(PhaseKind::Queued), builder.active_count());
        let others = match (queued, started) {
            (0, 0) => return reply,
            (_, 0) => format!("{queued} queued"),
            (0, _) => format!("{started} started"),
            (_, _) => format!("{queued} queued and {started} started"),
        };
        let shards = if queued + started == 1 { "shard" } else { "shards" };
        notes.push(format!("the run goes on with {others} {shards}; `sweepdeck stop` ends it"));
    }
    reply
}

fn requeue_edited(builder: &mut DecisionBuilder, shard: &ShardId, edit: &Edit, by: &Actor) -> ControlReply {
    noting_stage(builder, |builder| verbs::requeue_edited(builder, shard, edit, by))
}

fn drain_run(builder: &mut DecisionBuilder, by: &Actor) -> ControlReply {
    match builder.stage() {
        RunStage::Active => {
            if builder.own_node().is_some() {
                return_waiting(builder);
            }
            builder.record(Event::StopRequested { now: false, by: Some(by.clone()), job: None });
            let paused = builder.shards().filter(|shard| shard.phase.kind() == PhaseKind::Paused).count();
            done_reply(0, (paused > 0).then(|| format!("{paused} paused: the run ends when they do")))
        }
        RunStage::Draining | RunStage::Stopping => {
            done_reply(0, Some("the run is being stopped already".into()))
        }
        RunStage::Ended { .. } => ControlReply::unusable("the run is over"),
    }
}

fn stop_now(builder: &mut DecisionBuilder, by: &Actor) -> ControlReply {
    match builder.stage() {
        RunStage::Active | RunStage::Draining => {
            let stopping = |builder: &DecisionBuilder| {
                builder.shards().filter(|s| s.phase.kind() == PhaseKind::Stopping).count()
            };
            let before = stopping(builder);
            builder.record(Event::StopRequested { now: true, by: Some(by.clone()), job: None });
            stop_all(builder, Some(by));
            done_reply(stopping(builder) - before, None)
        }
        RunStage::Stopping => done_reply(0, Some("the run is being stopped already".into())),
        RunStage::Ended { .. } => ControlReply::unusable("the run is over"),
    }
}

fn set_parallel(builder: &mut DecisionBuilder, parallel: u32, by: &Actor) -> ControlReply {
    if parallel == 0 {
        return ControlReply::unusable(
            "the parallel limit must be at least 1; pause or stop to start nothing more",
        );
    }
    builder.record(Event::ParallelChanged { parallel, by: Some(by.clone()) });
    let above = builder.active_count() > builder.parallel_limit();
    let active = builder.active_count();
    done_reply(
        0,
        above
            .then(|| format!("{active} are active now: none of them is stopped, the limit holds for starts")),
    )
}

fn set_reserve(builder: &mut DecisionBuilder, vram: Bytes, by: &Actor) -> ControlReply {
    // Nodes have GPUs of their own.
    if builder.policy.gpus.is_empty() && builder.policy.nodes.is_empty() {
        return ControlReply::unusable("the machine has no GPU on which VRAM could be kept free");
    }
    if vram != builder.reserve_vram() {
        builder.record(Event::ReserveChanged { vram, by: Some(by.clone()) });
    }
    done_reply(
        0,
        (builder.active_count() > 0).then(|| "no running shard is stopped, it holds for starts".to_owned()),
    )
}

/// Sets the GPUs that new starts may use; shards that are running stay where they are.
fn set_gpus(builder: &mut DecisionBuilder, devices: &[String], by: &Actor) -> ControlReply {
    let chosen: Vec<GpuIndex> = builder.policy.chosen_gpus(Some(devices)).collect();
    if chosen.is_empty() {
        return ControlReply::unusable("none of these GPUs may be used by this run");
    }
    if chosen != builder.chosen_gpus() {
        builder.record(Event::GpusChosen { devices: devices.to_vec(), by: Some(by.clone()) });
    }
    let is_outside = |shard: &&ShardState| shard.phase.gpus().iter().any(|gpu| !chosen.contains(gpu));
    let outside = builder.active_shards().filter(is_outside).count();
    let shards = if outside == 1 { "shard stays" } else { "shards stay" };
    let mut notes: Vec<String> = (outside > 0)
        .then(|| format!("{outside} running {shards} on other GPUs until the end"))
        .into_iter()
        .collect();
    notes.extend(too_large_for(builder, chosen.len()));
    ControlReply::Done { shards: 0, notes }
}

/// The queued shards that need more GPUs than are chosen: they wait for another choice.
fn too_large_for(builder: &DecisionBuilder, chosen: usize) -> Option<String> {
    let needs = |position: usize| builder.policy.kind(position).slots.len();
    let waits = |position: &usize| {
        builder.shard(*position).phase.kind() == PhaseKind::Queued && needs(*position) > chosen
    };
    let waiting: Vec<usize> = builder.positions().filter(waits).collect();
    let most = waiting.iter().map(|position| needs(*position)).max()?;
    let named: Vec<&str> =
        waiting.iter().take(NAMED).map(|position| builder.shard(*position).id.as_str()).collect();
    let more = waiting.len() - named.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let (wait, need) = if waiting.len() == 1 { ("waits", "it needs") } else { ("wait", "they need up to") };
    Some(format!("{}{more} {wait} for more GPUs: {need} {most}", named.join(", ")))
}

/// Opens a run that waits for its time.
fn start_now(builder: &mut DecisionBuilder, by: &Actor) -> ControlReply {
    if let Some(refusal) = refused_unless_active(builder) {
        return refusal;
    }
    match builder.opening().opens_at() {
        Some(until) => done_reply(opening::open_early(builder, until, by), None),
        None => done_reply(0, Some("it waits for no time: its shards start as there is room".to_owned())),
    }
}

/// Closes a run until that moment. What runs goes on.
fn start_at(builder: &mut DecisionBuilder, at: Timestamp, by: &Actor) -> ControlReply {
    if let Some(refusal) = refused_unless_active(builder) {
        return refusal;
    }
    let (because, by) = (Closing::StartTime, Some(by.clone()));
    builder.record(Event::StartsClosed { opens: at, because, by });
    done_reply(
        0,
        (builder.active_count() > 0).then(|| "no running shard is stopped, it holds for starts".to_owned()),
    )
}

fn refused_unless_active(builder: &DecisionBuilder) -> Option<ControlReply> {
    match builder.stage() {
        RunStage::Active => None,
        RunStage::Draining | RunStage::Stopping => Some(ControlReply::unusable("the run is being stopped")),
        RunStage::Ended { .. } => Some(ControlReply::unusable("the run is over")),
    }
}

fn done_reply(shards: usize, note: Option<String>) -> ControlReply {
    ControlReply::Done { shards, notes: note.into_iter().collect() }
}
