//! The shard that needs its user most, and why, in one sentence.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use super::screen::Model;
use super::shards::shard_row::ShardRow;
use crate::model::ids::GpuIndex;
use crate::model::outcome::{Failure, FailureReason};
use crate::model::state::fact::Condition;
use crate::model::state::phase::{Ended, PhaseKind};
use crate::tui::format::{self, plural};
use crate::tui::theme::role::Role;

/// The action that a shard in trouble needs from the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeededAction {
    /// Its program waits for an answer.
    Answer,
    /// The shard failed and can run once more.
    Requeue {
        /// A line of its log proves the verdict.
        has_proof: bool,
    },
    /// The shard makes no progress and has to be looked at.
    Look,
}

/// A shard that runs and reports nothing any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stuck {
    /// Position of the shard in the sweep.
    pub position: usize,
    /// How long it has been silent.
    pub silence: Duration,
}

/// The worst of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alarm {
    /// Position of the shard in the sweep.
    pub position: usize,
    /// Role that colours the line by its gravity.
    pub role: Role,
    /// The shard and its trouble: `act_goal_2: CUDA OOM at 40/200, GPU 3 had 0.4 GiB free`.
    pub text: String,
    /// The action that it needs from the user.
    pub need: NeededAction,
}

/// The worst that there is: a question, then the newest failure, then the longest silence.
pub(super) fn worst_alarm(model: &Model, stuck: &[Stuck]) -> Option<Alarm> {
    question_alarm(model).or_else(|| failure_alarm(model)).or_else(|| silence_alarm(model, stuck))
}

/// Shards in another trouble than the worst one, or more of them in the same, with words for more and for less room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Others {
    /// Role that colours the words by their gravity.
    pub role: Role,
    /// The full text: `3 failed: 2 timeout, 1 incomplete`.
    pub full: String,
    /// The name of the shard if there is only one, else how many there are.
    pub named: String,
    /// How many there are.
    pub counted: String,
}

/// Returns the shards besides the worst one that need their user too, the gravest first.
pub(super) fn collect_others(model: &Model, stuck: &[Stuck], worst: &Alarm) -> Vec<Others> {
    let is_other = |position: &usize| *position != worst.position;
    let asking = model.readings().enumerate().filter(|(_, reading)| is_asking(reading));
    let asking: Vec<usize> = asking.map(|(position, _)| position).filter(is_other).collect();
    let silent: Vec<usize> = stuck.iter().map(|stuck| stuck.position).filter(is_other).collect();
    let needs = if asking.len() == 1 { "needs input" } else { "need input" };
    let all = [
        other_failures(model, worst),
        in_words(model, &asking, Role::Warning, needs),
        in_words(model, &silent, Role::Warning, "silent"),
    ];
    all.into_iter().flatten().collect()
}

fn in_words(model: &Model, positions: &[usize], role: Role, words: &str) -> Option<Others> {
    let first = &model.state.shards[*positions.first()?].id;
    let counted = format!("{} {words}", positions.len());
    Some(match positions.len() - 1 {
        0 => Others { role, full: format!("{first} {words}"), named: format!("{first} {words}"), counted },
        more => {
            let full = format!("{first} and {more} more {words}");
            Others { role, full, named: counted.clone(), counted }
        }
    })
}

/// Something is paused, and nothing runs or is about to.
pub(super) fn all_paused(model: &Model) -> Option<Others> {
    let moving = [PhaseKind::Starting, PhaseKind::Running, PhaseKind::Stopping];
    let is_still = moving.into_iter().all(|kind| model.count_in_phase(kind) == 0);
    let count = model.count_in_phase(PhaseKind::Paused);
    let words = "all is paused".to_owned();
    let full = format!("{words}: {}", plural(count, "shard"));
    (is_still && count > 0).then(|| Others {
        role: Role::Warning,
        full,
        named: words.clone(),
        counted: words,
    })
}

fn is_asking(reading: &ShardRow<'_>) -> bool {
    reading.state.phase.kind().is_active() && reading.state.condition() == Some(Condition::NeedsInput)
}

fn question_alarm(model: &Model) -> Option<Alarm> {
    let (position, reading) = model.readings().enumerate().find(|(_, reading)| is_asking(reading))?;
    let prompt = reading.track.alerts.iter().find(|alert| alert.kind == "prompt");
    let question = prompt.map(|alert| format!(": {}", alert.text)).unwrap_or_default();
    let text = format!("{} waits for an answer{question}", reading.state.id);
    Some(Alarm { position, role: Role::Warning, text, need: NeededAction::Answer })
}

fn iter_failures(model: &Model) -> impl Iterator<Item = (usize, &Ended, &Failure)> {
    let phases = model.state.shards.iter().map(|shard| &shard.phase).enumerate();
    phases.filter_map(|(position, phase)| Some((position, phase.ended()?, phase.failure()?)))
}

fn failure_alarm(model: &Model) -> Option<Alarm> {
    // What the user killed is no surprise. Of several that ended at once the first of the sweep.
    let (position, ended, failure) = iter_failures(model).min_by_key(|(position, ended, failure)| {
        (failure.reason == FailureReason::Killed, Reverse(ended.at), *position)
    })?;
    let alike = iter_failures(model).filter(|(_, _, other)| other.reason == failure.reason).count() - 1;
    let more = if alike == 0 { String::new() } else { format!(" and {alike} more") };
    let text = format!("{}{more}: {}", model.state.shards[position].id, describe_failure(failure, ended));
    let has_proof = ended.outcome.proof.is_some();
    Some(Alarm { position, role: Role::Failed, text, need: NeededAction::Requeue { has_proof } })
}

/// `3 more failed: 2 timeout, 1 incomplete`: those that failed for another reason than the worst.
fn other_failures(model: &Model, worst: &Alarm) -> Option<Others> {
    let said = model.state.shards[worst.position].phase.failure().map(|failure| failure.reason);
    let mut reasons: BTreeMap<FailureReason, usize> = BTreeMap::new();
    let others = || iter_failures(model).filter(|(_, _, failure)| Some(failure.reason) != said);
    for (_, _, failure) in others() {
        *reasons.entry(failure.reason).or_default() += 1;
    }
    let positions: Vec<usize> = others().map(|(position, _, _)| position).collect();
    let more = if said.is_some() { "more failed" } else { "failed" };
    let words = in_words(model, &positions, Role::Failed, "failed")?;
    let mut reasons: Vec<(FailureReason, usize)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| Reverse(*count));
    let reasons: Vec<String> =
        reasons.into_iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    Some(Others { full: format!("{} {more}: {}", positions.len(), reasons.join(", ")), ..words })
}

fn silence_alarm(model: &Model, stuck: &[Stuck]) -> Option<Alarm> {
    let longest = stuck.iter().max_by_key(|stuck| (stuck.silence, Reverse(stuck.position)))?;
    let Stuck { position, silence } = *longest;
    let reading = model.reading(position)?;
    let at = reading
        .progress()
        .map(|progress| format!(" at {}", format::format_progress(progress)))
        .unwrap_or_default();
    let gpu = model.machine_of(reading.state).max_gpu_utilization(reading.state.phase.gpus(), model.now);
    let load = [("CPU", reading.cpu()), ("GPU", gpu)];
    let load: String =
        load.into_iter().filter_map(|(name, percent)| Some(format!(", {name} {:.0} %", percent?))).collect();
    let text = format!("{} silent for {}{at}{load}", reading.state.id, format::rough_duration(silence));
    Some(Alarm { position, role: Role::Warning, text, need: NeededAction::Look })
}

/// Why it failed and how far it was, in as few words as there are.
pub fn describe_failure(failure: &Failure, ended: &Ended) -> String {
    let progress = ended.outcome.progress.filter(|progress| progress.done > 0);
    let at =
        progress.map(|progress| format!(" at {}", format::format_progress(progress))).unwrap_or_default();
    let proof = ended.outcome.proof.as_ref().map_or("", |proof| proof.text.as_str());
    let free = free_memory(&failure.message).or_else(|| free_memory(proof));
    match (failure.reason, free) {
        (FailureReason::GpuOom, Some((local, free))) => {
            // Programs number the GPUs that they were given from 0.
            let gpu = ended.gpus.get(local).copied().unwrap_or(GpuIndex(local as u32));
            format!("CUDA OOM{at}, GPU {gpu} had {free} free")
        }
        // The message counts by itself.
        (FailureReason::Incomplete, _) => failure.to_sentence(),
        (_, _) => format!("{}{}", failure.short_message(), if at.is_empty() { at } else { format!(",{at}") }),
    }
}

/// Parses `GPU 0 has a total capacity of 79.15 GiB of which 414.00 MiB is free` into the GPU's number and what was
/// free.
fn free_memory(text: &str) -> Option<(usize, String)> {
    let (before, behind) = text.split_once(" has a total capacity of ")?;
    let gpu = before.rsplit_once("GPU ")?.1.parse().ok()?;
    let (free, _) = behind.split_once(" of which ")?.1.split_once(" is free")?;
    let (number, unit) = free.split_once(' ')?;
    let number: f64 = number.parse().ok()?;
    let gib = match unit {
        "GiB" => number,
        "MiB" => number / 1024.0,
        "KiB" | "bytes" => 0.0,
        _other => return None,
    };
    Some((gpu, format!("{gib:.1} GiB")))
}

/// `stairs_rough`, or how many there are.
pub fn names_or_count(model: &Model, positions: &[usize]) -> Option<String> {
    match positions {
        [] => None,
        [one] => Some(model.state.shards[*one].id.to_string()),
        several => Some(plural(several.len(), "shard")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_free_memory_of_a_full_gpu_is_found_in_the_message() {
        let text = "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of 79.15 GiB of which \
                    414.00 MiB is free. Process 5 has 78.7 GiB memory in use.";
        assert_eq!(free_memory(text), Some((1, "0.4 GiB".to_owned())));
        assert_eq!(free_memory("CUDA out of memory"), None);
    }
}
