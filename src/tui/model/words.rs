//! Facts and phases in words.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::model::cancel_cause::CancelCause;
use crate::model::ids::{AttemptKey, AttemptNumber, ShardId};
use crate::model::machine::allocation::Allocation;
use crate::model::outcome::{Failure, Outcome, Verdict};
use crate::model::state::event_groups::events;
use crate::model::state::fact::{Actor, Condition, Event, Fact};
use crate::model::state::phase::{QueueCause, StopCause};
use crate::model::state::watch_end::WatchEnd;
use crate::model::sweep::growth::Growth;
use crate::model::sweep::split::{PackSplit, SplitCause};
use crate::tui::format::{self, duration_text, plural};
use crate::tui::model::node_words;
use crate::tui::theme::role::Role;

/// Why an attempt failed, if it did.
pub fn outcome_failure(outcome: &Outcome) -> Option<&Failure> {
    match &outcome.verdict {
        Verdict::Failed(failure) => Some(failure),
        Verdict::Succeeded | Verdict::Cancelled => None,
    }
}

/// The word of a verdict.
pub fn verdict_word(outcome: &Outcome) -> &'static str {
    match &outcome.verdict {
        Verdict::Succeeded => "succeeded",
        Verdict::Failed(_) => "failed",
        Verdict::Cancelled => "cancelled",
    }
}

fn split_role(cause: SplitCause) -> Role {
    match cause {
        SplitCause::AutoSize | SplitCause::Elsewhere => Role::Dim,
        SplitCause::OutOfMemory | SplitCause::KnownSize => Role::Warning,
    }
}

/// Describes an event in a sentence, with the colour of its importance.
pub fn describe_event(fact: &Fact, zone: &TimeZone) -> (Role, String) {
    match &fact.event {
        Event::RunCreated { shards, .. } => {
            (Role::Text, format!("run created: {}", plural(shards.len(), "shard")))
        }
        Event::AllocationChanged { allocation } => describe_allocation(allocation.as_ref(), fact.at, zone),
        Event::SupervisorStarted { pid, .. } => (Role::Dim, format!("supervisor started, pid {pid}")),
        Event::AttemptStarting { shard, attempt, previous, .. } => {
            (Role::Dim, format!("{shard} starting{}{}", attempt_suffix(*attempt), resumed_suffix(*previous)))
        }
        Event::AttemptStarted { shard, attempt, .. } => {
            (Role::Running, format!("{shard} running{}", attempt_suffix(*attempt)))
        }
        Event::AttemptAdopted { shard, .. } => (Role::Dim, format!("{shard} found alive and adopted")),
        Event::AttemptPaused { shard, .. } => (Role::Paused, format!("{shard} paused")),
        Event::AttemptResumed { shard, .. } => (Role::Running, format!("{shard} resumed")),
        // The user who killed it is named after it.
        Event::AttemptStopping { shard, cause: StopCause::Killed, by: Some(_), .. } => {
            (Role::Stopping, format!("{shard} stopping: killed"))
        }
        Event::AttemptStopping { shard, cause, .. } => {
            (Role::Stopping, format!("{shard} stopping: {}", stop_reason(*cause)))
        }
        Event::AttemptEnded { shard, outcome, .. } => prefix_shard(shard, describe_outcome(outcome)),
        Event::AttemptPutBack { shard, lack, .. } => {
            (Role::Warning, format!("{shard} waits: {}", lack.as_text()))
        }
        Event::ShardQueued { shard, step: Some(step), .. } => {
            (Role::Warning, format!("{shard} queued again by {}: {}", step.on.key(), step.words))
        }
        Event::ShardQueued { shard, edit: Some(edit), .. } => {
            (Role::Warning, format!("{shard} queued again, edited: {edit}"))
        }
        Event::ShardQueued { shard, cause, edit: None, .. } => {
            (Role::Text, format!("{shard} queued{}", queue_suffix(*cause)))
        }
        Event::Node(event) => node_words::describe_node_event(event),
        Event::RequeueUndone { shard, .. } => (Role::Text, format!("{shard} taken back: it is what it was")),
        Event::PriorityChanged { shard, priority, .. } => {
            (Role::Text, format!("{shard} waits with priority {priority}"))
        }
        Event::ShardCancelled { shard, cause, .. } => (Role::Cancelled, describe_cancel(shard, *cause)),
        Event::ComparisonDecided(decided) => (Role::Strong, decided.to_text()),
        Event::ConditionChanged { shard, condition, .. } => describe_condition(shard, *condition),
        Event::ParallelChanged { parallel, .. } => (Role::Text, format!("parallel limit is now {parallel}")),
        Event::ReserveChanged { vram, .. } => {
            (Role::Text, format!("{vram} of VRAM are now left free on each GPU"))
        }
        Event::GpusChosen { devices, .. } => (Role::Text, describe_gpu_choice(devices)),
        Event::GpuAvoided { gpu, reason } => (Role::Failed, format!("GPU {gpu}: {reason}")),
        Event::PackSplit(PackSplit { shard, keeps, other, cause, .. }) => {
            (split_role(*cause), format!("{shard} keeps {keeps} of its values, the others become {other}"))
        }
        Event::ValuesAdded(growth) => (Role::Strong, describe_growth(growth)),
        Event::WatchEnded { axis, cause, .. } => (Role::Text, watch_ended(axis, cause)),
        Event::ServiceAdded { shard, .. } => (Role::Dim, format!("{shard} is needed: a service of the run")),
        Event::ServiceReady { shard, port, .. } => (Role::Running, describe_ready(shard, *port)),
        Event::ShardsHeld { shards, reason } => (Role::Failed, describe_hold(shards, reason)),
        Event::RunHeld { reason, spares, .. } => {
            let what = if spares.is_empty() { "the sweep" } else { "all that never succeeded" };
            (Role::Failed, format!("{what} is held: {reason}"))
        }
        Event::HoldsReleased { .. } => (Role::Text, "what was held goes on".to_owned()),
        Event::StartsClosed { opens, because, .. } => {
            (Role::Paused, format!("waits: {}", because.to_text(*opens, fact.at, zone)))
        }
        Event::StartsOpened { until, by } => {
            (Role::Text, describe_opening(until.filter(|_| by.is_none()), fact.at, zone))
        }
        Event::StopRequested { now, job, .. } => (Role::Stopping, stop_requested(*now, job.as_deref())),
        Event::RunContinued { .. } => (Role::Text, "the run goes on".to_owned()),
        Event::ReporterEnded { code, message, setup_step, .. } => reporter_end(*code, *setup_step, message),
        Event::RunWarned { text, .. } | Event::EpisodesRepeated { text, .. } => (Role::Warning, text.clone()),
        Event::PreflightWarned { warnings } => (Role::Warning, first_of(warnings)),
        Event::Remarked { about, text } => (Role::Warning, describe_remark(about.as_ref(), text)),
        Event::RunEnded { finished } => (Role::Strong, format!("run {}", end_word(*finished))),
    }
}

fn describe_condition(shard: &ShardId, condition: Option<Condition>) -> (Role, String) {
    match condition {
        Some(what) => (Role::Warning, format!("{shard} {}", what.as_str())),
        None => (Role::Text, format!("{shard} goes on")),
    }
}

fn prefix_shard(shard: &ShardId, (role, words): (Role, String)) -> (Role, String) {
    (role, format!("{shard} {words}"))
}

fn watch_ended(axis: &str, cause: &WatchEnd) -> String {
    format!("{axis} is not watched any more: {cause}")
}

/// The first of several lines, and how many more there are.
fn first_of(warnings: &[String]) -> String {
    match warnings {
        [] => String::new(),
        [one] => one.clone(),
        [first, more @ ..] => format!("{first} (and {} more)", more.len()),
    }
}

fn describe_cancel(shard: &ShardId, cause: CancelCause) -> String {
    match cause {
        CancelCause::Asked => format!("{shard} cancelled"),
        CancelCause::ComparisonDecided | CancelCause::NotHere => format!("{shard} {}", cause.as_text()),
    }
}

fn describe_remark(about: Option<&AttemptKey>, text: &str) -> String {
    about.map_or_else(|| text.to_owned(), |key| format!("{}: {text}", key.shard))
}

fn describe_allocation(allocation: Option<&Allocation>, now: Timestamp, zone: &TimeZone) -> (Role, String) {
    let text = match allocation {
        Some(Allocation { job, ends: Some(ends) }) => {
            format!("in Slurm job {job}, which ends {}", format::moment_text(*ends, now, zone))
        }
        Some(Allocation { job, ends: None }) => format!("in Slurm job {job}"),
        None => "in no Slurm job any more".to_owned(),
    };
    (Role::Dim, text)
}

fn resumed_suffix(previous: Option<AttemptNumber>) -> String {
    previous.map(|previous| format!(", continues attempt {previous}")).unwrap_or_default()
}

/// Returns the user who asked for it, if a user did.
pub fn event_actor(event: &Event) -> Option<&Actor> {
    match event {
        Event::AttemptPaused { by, .. }
        | Event::AttemptResumed { by, .. }
        | Event::AttemptStopping { by, .. }
        | Event::ShardQueued { by, .. }
        | Event::RequeueUndone { by, .. }
        | Event::PriorityChanged { by, .. }
        | Event::ShardCancelled { by, .. }
        | Event::ReserveChanged { by, .. }
        | Event::GpusChosen { by, .. }
        | Event::ParallelChanged { by, .. }
        | Event::StartsClosed { by, .. }
        | Event::StartsOpened { by, .. }
        | Event::HoldsReleased { by }
        | Event::StopRequested { by, .. }
        | Event::WatchEnded { by, .. }
        | Event::RunContinued { by, .. } => by.as_ref(),
        Event::ValuesAdded(growth) => growth.by.as_ref(),
        Event::Node(event) => event.actor(),
        events!(outcomes | services | beginnings | reports)
        | Event::AttemptStarting { .. }
        | Event::AttemptStarted { .. }
        | Event::AttemptAdopted { .. }
        | Event::AttemptPutBack { .. }
        | Event::ConditionChanged { .. }
        | Event::ComparisonDecided(_)
        | Event::GpuAvoided { .. }
        | Event::ShardsHeld { .. }
        | Event::RunHeld { .. }
        | Event::RunEnded { .. } => None,
    }
}

/// Why an attempt is being ended.
pub fn stop_reason(cause: StopCause) -> &'static str {
    match cause {
        StopCause::Killed => "killed by the user",
        StopCause::Timeout => "it ran longer than the timeout",
        StopCause::Stalled => "it stalled",
        StopCause::RunStopped => "the run is being stopped",
        StopCause::ServiceGone => "its service ended",
        StopCause::NotReady => "it was not ready in time",
        StopCause::Unneeded => "no shard needs it any more",
        StopCause::Restarted => "it is to be started again",
    }
}

fn describe_gpu_choice(devices: &[String]) -> String {
    match devices {
        [] => "new shards get all GPUs again".to_owned(),
        some => format!("new shards get only {}", some.join(", ")),
    }
}

fn describe_opening(closes: Option<Timestamp>, at: Timestamp, zone: &TimeZone) -> String {
    let until = closes.map(|closes| format!(" until {}", format::moment_text(closes, at, zone)));
    format!("shards may start{}", until.unwrap_or_default())
}

fn stop_requested(now: bool, job: Option<&str>) -> String {
    match job {
        Some(job) => format!("nothing new starts: job {job} ends too soon for what waits"),
        None if now => "stop requested: everything ends now".to_owned(),
        None => "stop requested: nothing new starts".to_owned(),
    }
}

/// `policy + c, d: 4 new shards`
pub fn describe_growth(growth: &Growth) -> String {
    let shards = plural(growth.shards.len(), "new shard");
    format!("{} + {}: {shards}", growth.axis, growth.listed_values())
}

fn describe_hold(shards: &[ShardId], reason: &str) -> String {
    let first = shards.first().map_or("", |shard| shard.as_str());
    let whose = match shards.len() {
        1 => format!("{first} is"),
        count => format!("the combo of {first} ({count} shards) is"),
    };
    format!("{whose} held: {reason}")
}

fn queue_suffix(cause: QueueCause) -> &'static str {
    match cause {
        QueueCause::New => "",
        QueueCause::Retry => " for another try",
        QueueCause::Lost => " again: the attempt was lost",
        QueueCause::Resumed => " again: it continues where it stopped",
        QueueCause::Step => " again by a step of the sweep",
        QueueCause::GpuOom => " again with more room: it ran out of GPU memory",
        QueueCause::ForeignOom => " again: others took the GPU memory it ran out of",
        QueueCause::Split => " again with half of its values: together they ran out of memory",
        QueueCause::HostOom => " again: memory ran out, so that fewer run side by side",
        QueueCause::PutBack => " again: it could not be started",
        QueueCause::GpuLost => " again: its GPU was lost",
        QueueCause::ServiceLost => " again: its service ended",
        QueueCause::NodeGone => " again: its node is gone",
        QueueCause::Needed => " again: shards need it",
        QueueCause::User => " again: the user asked for it",
        QueueCause::Recovered => " again: the run goes on",
    }
}

fn describe_outcome(outcome: &Outcome) -> (Role, String) {
    let time = |word: &str| outcome.elapsed.map(|elapsed| format!(" {word} {}", duration_text(elapsed)));
    match &outcome.verdict {
        Verdict::Succeeded => (Role::Succeeded, format!("succeeded{}", time("in").unwrap_or_default())),
        Verdict::Failed(failure) => (Role::Failed, format!("failed: {}", failure.brief_text())),
        Verdict::Cancelled => (Role::Cancelled, format!("cancelled{}", time("after").unwrap_or_default())),
    }
}

fn reporter_end(code: Option<i32>, setup_step: Option<u32>, message: &str) -> (Role, String) {
    let last = message.lines().last().unwrap_or_default();
    let step = setup_step.map_or_else(String::new, |step| format!("setup step {step}, "));
    match code {
        Some(0) => (Role::Text, "reporter done".to_owned()),
        Some(code) => (Role::Failed, format!("reporter failed: {step}exit code {code}: {last}")),
        None => (Role::Failed, format!("reporter failed: {step}{last}")),
    }
}

fn end_word(finished: bool) -> &'static str {
    if finished { "finished" } else { "stopped" }
}

/// Announces that a service is ready, and on which port, where it has one.
fn describe_ready(shard: &ShardId, port: Option<u16>) -> String {
    let port = port.map_or_else(String::new, |port| format!(" on port {port}"));
    format!("{shard} ready{port}")
}

/// The first try needs no number.
fn attempt_suffix(attempt: AttemptNumber) -> String {
    if attempt == AttemptNumber::FIRST { String::new() } else { format!(" (attempt {attempt})") }
}
