//! Prints decisions: one line a fact, an effect or a reply, and the phases where they changed.

use std::fmt::Write;

use jiff::Timestamp;
use sweepdeck::model::cancel_cause::CancelCause;
use sweepdeck::model::command::ControlReply;
use sweepdeck::model::ids::{AttemptNumber, GpuIndex, ShardId};
use sweepdeck::model::machine::allocation::Allocation;
use sweepdeck::model::needs::demand::Demand;
use sweepdeck::model::outcome::Verdict;
use sweepdeck::model::state::fact::{Actor, Event};
use sweepdeck::model::state::phase::PhaseKind;
use sweepdeck::model::state::run_state::{RunStage, RunState};
use sweepdeck::model::sweep::growth::Growth;
use sweepdeck::model::sweep::split::{PackSplit, SplitCause};
use sweepdeck::model::units::format_duration;
use sweepdeck::results::status::shortage;
use sweepdeck::scheduler::effect::{Decision, Effect};

use crate::world::moment;

/// The decision, indented under the line that led to it.
pub fn decision(decision: &Decision) -> String {
    let mut text = String::new();
    for fact in &decision.facts {
        writeln!(text, "    fact  {}", event(fact)).unwrap();
    }
    for deed in &decision.effects {
        writeln!(text, "    do    {}", effect(deed)).unwrap();
    }
    for reply in &decision.replies {
        writeln!(text, "    say   {}", answer(reply)).unwrap();
    }
    text
}

/// What queued shards are short of.
pub fn waiting(decision: &Decision, state: &RunState) -> String {
    let mut text = String::new();
    for group in decision.waiting.iter().flatten() {
        let names: Vec<_> = group.shards.iter().map(|shard| state.shards[*shard].id.as_str()).collect();
        writeln!(text, "    wait  {}: {}", names.join(" "), shortage::describe_shortage(&group.short_of))
            .unwrap();
    }
    text
}

/// How many shards are in each phase, and what the run is doing.
pub fn state(state: &RunState) -> String {
    let counts: Vec<_> = PhaseKind::ALL
        .into_iter()
        .filter(|kind| state.count(*kind) > 0)
        .map(|kind| format!("{} {}", state.count(kind), kind.as_str()))
        .collect();
    format!("    =     {}: {}\n", stage(state.stage), counts.join(", "))
}

fn stage(stage: RunStage) -> &'static str {
    match stage {
        RunStage::Active => "active",
        RunStage::Draining => "draining",
        RunStage::Stopping => "stopping",
        RunStage::Ended { finished: true, .. } => "finished",
        RunStage::Ended { finished: false, .. } => "stopped",
    }
}

fn moment_zero() -> Timestamp {
    moment(std::time::Duration::ZERO)
}

fn added(growth: &Growth) -> String {
    let shards: Vec<_> = growth.shards.iter().map(|shard| shard.id.as_str()).collect();
    format!("added {} = {}: {}{}", growth.axis, growth.listed_values(), shards.join(" "), user(&growth.by))
}

fn cancelled(shard: &ShardId, by: &Option<Actor>, cause: CancelCause) -> String {
    match cause {
        CancelCause::Asked => format!("cancelled {shard}{}", user(by)),
        CancelCause::ComparisonDecided => format!("{shard} {}", cause.as_text()),
        CancelCause::NotHere => format!("not here {shard}{}", user(by)),
    }
}

fn split_words(split: &PackSplit) -> String {
    let PackSplit { shard, keeps, other, index, cause, .. } = split;
    let why = match cause {
        SplitCause::OutOfMemory => "",
        SplitCause::KnownSize => ", too large",
        SplitCause::AutoSize => ", cut",
        SplitCause::Elsewhere => ", elsewhere",
    };
    format!("split {shard}, which keeps {keeps}, and {other} #{index}{why}")
}

/// One fact in a few words.
pub fn event(event: &Event) -> String {
    let at = |word: &str, shard: &ShardId, attempt: &AttemptNumber| format!("{word} {shard} #{attempt}");
    match event {
        Event::AttemptStarting { shard, attempt, gpus: on, .. } => at("starting", shard, attempt) + &gpus(on),
        Event::AttemptStarted { shard, attempt, .. } => at("started", shard, attempt),
        Event::AttemptAdopted { shard, attempt } => at("adopted", shard, attempt),
        Event::AttemptPaused { shard, attempt, by } => at("paused", shard, attempt) + user(by),
        Event::AttemptResumed { shard, attempt, by } => at("resumed", shard, attempt) + user(by),
        Event::AttemptStopping { shard, attempt, cause, by } => {
            format!("{} ({cause:?}){}", at("stopping", shard, attempt), user(by))
        }
        Event::AttemptEnded { shard, attempt, outcome } => {
            let verdict = match &outcome.verdict {
                Verdict::Succeeded => "succeeded",
                Verdict::Failed(failure) => failure.reason.as_str(),
                Verdict::Cancelled => "cancelled",
            };
            format!("{}: {verdict}", at("ended", shard, attempt))
        }
        Event::AttemptPutBack { shard, attempt, lack } => {
            format!("{}: {lack:?}", at("put back", shard, attempt))
        }
        Event::ShardQueued { shard, cause, by, demand, edit, .. } => {
            let edit = edit.as_ref().map(|edit| format!(" edited {edit}")).unwrap_or_default();
            format!("queued {shard} ({cause:?}){}{edit}{}", needs(demand), user(by))
        }
        Event::ShardCancelled { shard, by, cause } => cancelled(shard, by, *cause),
        Event::ComparisonDecided(decided) => decided.to_text(),
        Event::ConditionChanged { shard, attempt, condition, since } => {
            let since = since.map(|since| format!(" since {}", clock(since))).unwrap_or_default();
            format!("{} is {condition:?}{since}", at("condition of", shard, attempt))
        }
        Event::PackSplit(split) => split_words(split),
        Event::ValuesAdded(growth) => added(growth),
        Event::WatchEnded { axis, cause, by } => format!("watch of {axis} ended: {cause}{}", user(by)),
        Event::ServiceAdded { shard, .. } => format!("service {shard}"),
        Event::ServiceReady { shard, attempt, .. } => at("ready", shard, attempt),
        Event::ShardsHeld { shards, reason } => {
            let shards: Vec<_> = shards.iter().map(ShardId::as_str).collect();
            format!("held {}: {reason}", shards.join(" "))
        }
        Event::RunHeld { reason, spares, .. } if spares.is_empty() => format!("run held: {reason}"),
        Event::RunHeld { reason, spares, .. } => {
            let spares: Vec<_> = spares.iter().map(ShardId::as_str).collect();
            format!("run held but {}: {reason}", spares.join(" "))
        }
        Event::HoldsReleased { by } => format!("released{}", user(by)),
        Event::GpuAvoided { gpu, reason } => format!("gpu{gpu} {reason}"),
        Event::RequeueUndone { shard, by } => format!("undone {shard}{}", user(by)),
        Event::PriorityChanged { shard, priority, by } => {
            format!("priority of {shard} {priority}{}", user(by))
        }
        Event::ReserveChanged { vram, by } => format!("reserve {vram}{}", user(by)),
        Event::GpusChosen { devices, by } => format!("gpus {}{}", devices.join(","), user(by)),
        Event::StartsClosed { opens, because, by } => {
            format!("closed until {} ({because:?}){}", opens, user(by))
        }
        Event::StartsOpened { until, by } => {
            let until = until.map_or_else(String::new, |until| format!(" until {until}"));
            format!("opened{until}{}", user(by))
        }
        Event::ParallelChanged { parallel, by } => format!("parallel {parallel}{}", user(by)),
        Event::AllocationChanged { allocation } => job_words(allocation.as_ref()),
        Event::StopRequested { now, by, job } => stop_words(*now, by, job.as_deref()),
        Event::RunContinued { by } => format!("run continued{}", user(by)),
        Event::RunEnded { finished } => format!("run ended, finished {finished}"),
        Event::Node(event) => format!("{event:?}"),
        Event::RunCreated { .. }
        | Event::SupervisorStarted { .. }
        | Event::ReporterEnded { .. }
        | Event::RunWarned { .. }
        | Event::PreflightWarned { .. }
        | Event::EpisodesRepeated { .. }
        | Event::Remarked { .. } => panic!("not the scheduler's to say: {event:?}"),
    }
}

fn job_words(allocation: Option<&Allocation>) -> String {
    let Some(Allocation { job, ends }) = allocation else { return "job left".to_owned() };
    format!("job {job} until {}", ends.map_or("no end".to_owned(), |at| at.to_string()))
}

fn stop_words(now: bool, by: &Option<Actor>, job: Option<&str>) -> String {
    let job = job.map(|job| format!(", job {job} ends too soon")).unwrap_or_default();
    format!("stop requested{}{job}{}", if now { ", now" } else { "" }, user(by))
}

/// What was learned of a shard's needs.
fn needs(demand: &Demand) -> String {
    let mut text: String = demand.vram.iter().map(|vram| format!(" needs {vram}")).collect();
    text += &demand.ram.map(|ram| format!(" needs {ram} of memory")).unwrap_or_default();
    text + if demand.alone { " alone" } else { "" }
}

fn effect(effect: &Effect) -> String {
    match effect {
        Effect::Start { key, gpus: on } => format!("start {key}{}", gpus(on)),
        Effect::Stop { key } => format!("stop {key}"),
        Effect::Pause { key } => format!("pause {key}"),
        Effect::Resume { key } => format!("resume {key}"),
        Effect::Look => "look".to_owned(),
        Effect::WakeAt(at) => {
            format!("wake at {}", clock(*at))
        }
        Effect::Order { node, number } => format!("order {} of {node}", number.0),
        Effect::Finish { finished } => format!("finish, finished {finished}"),
    }
}

fn answer(reply: &ControlReply) -> String {
    match reply {
        ControlReply::Done { shards, notes } => {
            let notes: String = notes.iter().map(|note| format!("; {note}")).collect();
            format!("done, {shards} changed{notes}")
        }
        ControlReply::Refused { kind, message } => format!("refused ({kind:?}): {message}"),
    }
}

fn gpus(gpus: &[GpuIndex]) -> String {
    gpus.iter().map(|gpu| format!(" gpu{gpu}")).collect()
}

fn user(by: &Option<Actor>) -> &'static str {
    if by.is_some() { " by the user" } else { "" }
}

/// The time on the scenario's clock.
fn clock(at: Timestamp) -> String {
    format_duration(at.duration_since(moment_zero()).unsigned_abs())
}
