//! What one shard came to: the numbers in every table of results.

use super::axes;
use super::counted_success::successes_of_rate;
use super::counted_unit::{EPISODES, is_of_episodes, unit_of};
use crate::model::cancel_cause::CancelCause;
use crate::model::ids::ShardId;
use crate::model::outcome::{FailureReason, Metrics, Outcome, Peaks, Progress, Proof};
use crate::model::results::episode_list::EpisodeList;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunState;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::edit::Edit;
use crate::model::sweep::node_spec::NodeId;
use crate::model::sweep::plan::{Plan, ShardSpec};

/// Metrics that have columns of their own.
pub const EPISODE_METRICS: [&str; 3] = ["episodes", "successes", "success_rate"];

/// Episodes that a shard is to run: those of its slice, else as many as the sweep sets for each.
pub fn planned_episodes(plan: &Plan, spec: &ShardSpec) -> Option<u64> {
    spec.slice.as_ref().map(|slice| slice.episodes).or(plan.progress.total)
}

/// Outcome of one shard. Unknown values are `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardOutcome<'a> {
    /// The shard as planned.
    pub spec: &'a ShardSpec,
    /// The node that has it, or had it last; none in a run of one machine.
    pub node: Option<&'a NodeId>,
    /// Phase that the shard is in.
    pub phase: PhaseKind,
    /// Reason why it failed, if it did.
    pub reason: Option<FailureReason>,
    /// Explanation in one line of why it failed.
    pub message: Option<&'a str>,
    /// Attempts that were begun.
    pub attempts: u32,
    /// How long the last attempt took, from start to end.
    pub seconds: Option<f64>,
    /// Part of the time without pauses before its first step, where that is known, in seconds.
    pub loading: Option<f64>,
    /// The same after its last step.
    pub closing: Option<f64>,
    /// Episodes it ran; `None` if its log counts something else.
    pub episodes: Option<f64>,
    /// How much is done of what its log counts.
    pub done: Option<f64>,
    /// Unit of the count, in the plural.
    pub unit: &'a str,
    /// Number of those episodes that succeeded.
    pub successes: Option<f64>,
    /// The part that succeeded, 0 to 1.
    pub success_rate: Option<f64>,
    /// The most that was measured.
    pub peaks: Peaks,
    /// Metrics other than the counts of episodes.
    pub metrics: Metrics,
    /// Remarks in addition to the verdict.
    pub warnings: &'a [String],
    /// The line of the log that proves the verdict.
    pub proof: Option<&'a Proof>,
    /// Its episodes are those of another shard that should have done others.
    pub is_repeated: bool,
    /// How far it had come.
    pub progress: Option<Progress>,
    /// Whether it was taken out, because the comparison that it was to add to is decided.
    pub is_unneeded: bool,
    /// Values that its newest attempt, once ended, ran with in place of those of the sweep.
    pub edit: Option<&'a Edit>,
    /// The end of each of its episodes, where the log or a file reports it.
    pub episode_list: Option<&'a EpisodeList>,
    /// The cluster that its episodes belong to, where an axis of the sweep makes clusters.
    pub cluster: Option<String>,
}

impl<'a> ShardOutcome<'a> {
    /// Derives the outcome of a shard; one that the journal does not name yet is queued.
    pub fn from_state(spec: &'a ShardSpec, state: Option<&'a ShardState>) -> Self {
        let outcome = state.and_then(|shard| shard.phase.ended()).map(|ended| &ended.outcome);
        let failure = state.and_then(|shard| shard.phase.failure());
        let metrics = outcome.map(|outcome| outcome.metrics.clone()).unwrap_or_default();
        let progress = outcome.and_then(|outcome| outcome.progress);
        let unit = unit_of(spec, progress, outcome.and_then(|outcome| outcome.unit.as_deref()));
        let counts = EpisodeCounts::from_outcome(outcome, unit);
        let is_unneeded = state.is_some_and(|shard| shard.phase.is_unneeded());
        let why = is_unneeded.then(|| CancelCause::ComparisonDecided.as_text());
        Self {
            spec,
            node: state.and_then(|shard| shard.node.as_ref()),
            phase: state.map_or(PhaseKind::Queued, |shard| shard.phase.kind()),
            reason: failure.map(|failure| failure.reason),
            message: failure.map(|failure| failure.message.as_str()).or(why),
            is_unneeded,
            attempts: state.map_or(0, |shard| {
                shard.attempt.map_or(0, |attempt| attempt.0.saturating_sub(shard.put_back))
            }),
            seconds: outcome.and_then(|outcome| outcome.elapsed).map(|elapsed| elapsed.as_secs_f64()),
            loading: outcome.and_then(|outcome| outcome.loading).map(|loading| loading.as_secs_f64()),
            closing: outcome.and_then(|outcome| outcome.closing).map(|closing| closing.as_secs_f64()),
            episodes: counts.episodes,
            done: progress.map(|progress| progress.done as f64),
            unit,
            successes: counts.successes,
            success_rate: counts.success_rate,
            peaks: outcome.map(|outcome| outcome.peaks).unwrap_or_default(),
            metrics: metrics
                .into_iter()
                .filter(|(name, _)| !EPISODE_METRICS.contains(&name.as_str()))
                .collect(),
            warnings: outcome.map_or(&[], |outcome| &outcome.warnings),
            proof: outcome.and_then(|outcome| outcome.proof.as_ref()),
            is_repeated: false,
            progress,
            edit: state
                .and_then(|shard| shard.phase.ended())
                .map(|ended| &ended.edit)
                .filter(|edit| !edit.is_empty()),
            episode_list: outcome.and_then(|outcome| outcome.episodes.as_ref()),
            cluster: None,
        }
    }

    /// Gives the reason why it failed, or else gives the first remark on its success; what was edited comes
    /// first.
    pub fn remark(&self) -> Option<String> {
        let repeated =
            || self.is_repeated.then(|| "warning: its episodes are those of another shard".to_owned());
        let remark = self.message.map(str::to_owned).or_else(repeated);
        let remark = remark.or_else(|| first_warning(self.warnings));
        match (self.edit, remark) {
            (Some(edit), Some(remark)) => Some(format!("edited {edit}; {remark}")),
            (Some(edit), None) => Some(format!("edited {edit}")),
            (None, remark) => remark,
        }
    }

    /// How much it did, by the word of [`Self::counted_unit`].
    pub fn done_count(&self) -> Option<f64> {
        self.episodes.or(self.done)
    }

    /// Returns what that counts: episodes, wherever these are known.
    pub fn counted_unit(&self) -> &'a str {
        if self.episodes.is_some() { EPISODES } else { self.unit }
    }

    /// Returns its state in one word: why it failed, or else its phase.
    pub fn verdict(&self) -> &'static str {
        self.reason.map_or(self.phase.as_str(), FailureReason::as_str)
    }

    /// Returns the name of the shard.
    pub fn id(&self) -> &'a ShardId {
        &self.spec.id
    }

    /// Returns what is printed under an axis: its value, or all values of a packed one.
    pub fn value_of(&self, axis: &str) -> String {
        self.spec.value_of(axis)
    }
}

/// The first of several warnings, and how many more there are.
pub fn first_warning(warnings: &[String]) -> Option<String> {
    let (first, more) = warnings.split_first()?;
    Some(match more.len() {
        0 => format!("warning: {first}"),
        more => format!("warning: {first} (and {more} more)"),
    })
}

/// All shards in the order of the sweep.
pub fn shard_outcomes<'a>(plan: &'a Plan, state: &'a RunState) -> Vec<ShardOutcome<'a>> {
    let clusters = axes::cluster_axes(plan);
    let of = |spec: &'a ShardSpec| {
        let values: Vec<String> = clusters.iter().map(|axis| spec.value_of(axis)).collect();
        let cluster = (!values.is_empty()).then(|| values.join(" "));
        let is_repeated = state.warnings.is_repeated(&spec.id);
        ShardOutcome { cluster, is_repeated, ..ShardOutcome::from_state(spec, state.shard(&spec.id)) }
    };
    plan.shards.iter().map(of).collect()
}

struct EpisodeCounts {
    episodes: Option<f64>,
    successes: Option<f64>,
    success_rate: Option<f64>,
}

impl EpisodeCounts {
    /// The metrics of these names; where the log counts no episodes, its progress does, unless that counts something
    /// else.
    fn from_outcome(outcome: Option<&Outcome>, unit: &str) -> Self {
        let metric = |name| outcome.and_then(|outcome| outcome.metrics.get(name).copied());
        let progress = outcome.and_then(|outcome| outcome.progress).filter(|_| is_of_episodes(unit));
        let done = || progress.map(|progress| progress.done as f64);
        let episodes = metric("episodes").or_else(done);
        let of_rate = || successes_of_rate(metric("success_rate")?, episodes?);
        let successes = metric("successes").or_else(of_rate);
        let counted = || Some(successes? / episodes.filter(|episodes| *episodes > 0.0)?);
        // A percentage, or successes of something else than the episodes, is no rate: 85 would read as 8500 %.
        let is_rate = |rate: &f64| (0.0..=1.0).contains(rate);
        let rate = metric("success_rate").filter(is_rate).or_else(|| counted().filter(is_rate));
        Self { episodes, successes, success_rate: rate }
    }
}
