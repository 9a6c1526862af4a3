//! State of one run, for the home screen: from its status where a supervisor works, else from its journal.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use super::status;
use crate::cli::error::CliError;
use crate::model::outcome::{FailureReason, Metrics, Progress};
use crate::model::state::fact::Condition;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::{RunStage, RunState};
use crate::model::state::shard_state::ShardState;
use crate::results::counted_success::shard_successes;
use crate::results::counted_unit::is_of_episodes;
use crate::results::statistics::headline::Headline;
use crate::results::status::document::{PhaseCounts, RunStatus, RunWord};
use crate::results::status::shard::ShardStatus;
use crate::rundir::layout::RunDir;
use crate::rundir::{plans, proven_state};
use crate::tui::model::home_screen::run_line::{PreviewRow, RunSummary};
use crate::tui::model::results::overall::RunSuccess;
use crate::tui::model::results::run_progress::RunShares;
use crate::tui::model::results::success::Success;

/// More rows of a preview no screen has.
const MOST_ROWS: usize = 80;

/// A run with a supervisor, with what its shards are at.
pub fn at_work(run: &RunDir) -> Result<RunSummary, CliError> {
    let status = status::read_status(run)?;
    let all = status.shards.len().max(1) as f64;
    let fraction = |shard: &ShardStatus| {
        let is_over = shard.phase.is_final();
        shard.progress.filter(|_| !is_over).and_then(|progress| progress.fraction()).unwrap_or(0.0)
    };
    let under_way = status.shards.iter().map(fraction).sum::<f64>() / all;
    let shards: Vec<ShardPreview<'_>> = status.shards.iter().map(of_status).collect();
    let glance = summarize_shards(&shards, status.run.state, status.counts);
    Ok(RunSummary {
        share: RunShares { under_way, ..glance.share },
        success: status.headline.map(RunSuccess::Headline).or(glance.success),
        // Its supervisor may live a moment longer than it.
        ended: ended_at(&status.run),
        opens: status.run.opens,
        left: status.run.eta_s.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        ..glance
    })
}

fn ended_at(run: &RunStatus) -> Option<Timestamp> {
    match run.state {
        RunWord::Running | RunWord::Unsupervised => None,
        RunWord::Finished | RunWord::Stopped => {
            run.started.checked_add(Duration::try_from_secs_f64(run.elapsed_s).ok()?).ok()
        }
    }
}

/// A run without one: its journal has everything.
pub fn at_rest(run: &RunDir) -> Result<RunSummary, CliError> {
    let state: RunState = proven_state::fold_journal(run)?;
    let mut plan = plans::read_first_plan(run)?;
    plan.catch_up(&state);
    let known = |shard| {
        let known = of_state(shard);
        let metrics = known.metrics.filter(|_| !state.warnings.is_repeated(&shard.id));
        ShardPreview { metrics, ..known }
    };
    let shards: Vec<ShardPreview<'_>> = state.shards.iter().map(known).collect();
    let headline = Headline::of_run(&plan, &state).map(RunSuccess::Headline);
    let glance =
        summarize_shards(&shards, RunWord::from_stage(state.stage, false), PhaseCounts::from_state(&state));
    let glance = RunSummary { success: headline.or(glance.success), ..glance };
    Ok(match state.stage {
        RunStage::Ended { at, .. } => RunSummary { ended: Some(at), ..glance },
        RunStage::Active | RunStage::Draining | RunStage::Stopping => glance,
    })
}

/// Facts known of a shard, wherever they were read.
struct ShardPreview<'a> {
    row: PreviewRow,
    reason: Option<FailureReason>,
    metrics: Option<&'a Metrics>,
    /// Unit in which its progress counts.
    unit: Option<&'a str>,
}

fn of_status(shard: &ShardStatus) -> ShardPreview<'_> {
    let row = PreviewRow {
        id: shard.id.clone(),
        kind: shard.phase,
        condition: shard.condition,
        progress: shard.progress,
        message: shard.message.clone(),
        left: shard.eta_s.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
    };
    let metrics = Some(&shard.metrics).filter(|_| !shard.repeated);
    ShardPreview { row, reason: shard.reason, metrics, unit: shard.unit.as_deref() }
}

fn of_state(shard: &ShardState) -> ShardPreview<'_> {
    let outcome = shard.phase.ended().map(|ended| &ended.outcome);
    let failure = shard.phase.failure();
    let progress: Option<Progress> = outcome.and_then(|outcome| outcome.progress);
    let row = PreviewRow {
        id: shard.id.clone(),
        kind: shard.phase.kind(),
        condition: shard.condition(),
        progress,
        message: failure.map(|failure| failure.message.clone()),
        left: None,
    };
    ShardPreview {
        row,
        reason: failure.map(|failure| failure.reason),
        metrics: outcome.map(|outcome| &outcome.metrics),
        unit: outcome.and_then(|outcome| outcome.unit.as_deref()),
    }
}

fn summarize_shards(shards: &[ShardPreview<'_>], state: RunWord, counts: PhaseCounts) -> RunSummary {
    let (mut good, mut episodes) = (0.0, 0.0);
    for shard in shards {
        let done = shard.row.progress.filter(|_| shard.unit.is_none_or(is_of_episodes));
        let counted = shard
            .metrics
            .filter(|_| shard.row.kind.is_active())
            .and_then(|metrics| shard_successes(shard.row.kind, metrics, done));
        if let Some((part, of)) = counted {
            good += part;
            episodes += of;
        }
    }
    let mut rows: Vec<&PreviewRow> = shards.iter().map(|shard| &shard.row).collect();
    rows.sort_by_key(|row| (rank_row(row), row.left.is_none(), row.left));
    RunSummary {
        state,
        share: compute_share(&counts, state),
        counts,
        left: None,
        opens: None,
        ended: None,
        success: Success::of_sums(good, episodes).map(RunSuccess::SoFar),
        failed: describe_failures(shards),
        rows: rows.into_iter().take(MOST_ROWS).cloned().collect(),
    }
}

/// Ranks a row: rows that need the user come first, rows that need nothing last.
fn rank_row(row: &PreviewRow) -> u8 {
    match (row.condition, row.kind) {
        (Some(Condition::NeedsInput), _) => 0,
        (_, PhaseKind::Failed) => 1,
        (Some(Condition::Stalled), _) => 2,
        (_, PhaseKind::Running | PhaseKind::Starting | PhaseKind::Paused | PhaseKind::Stopping) => 3,
        (_, PhaseKind::Queued) => 4,
        (_, PhaseKind::Cancelled) => 5,
        (_, PhaseKind::Succeeded) => 6,
    }
}

/// `stairs_flat: 87 of 100 episodes`, or `3 gpu-oom, 2 incomplete` of several.
fn describe_failures(shards: &[ShardPreview<'_>]) -> Option<String> {
    let failed: Vec<&ShardPreview<'_>> = shards.iter().filter(|shard| shard.reason.is_some()).collect();
    if let [one] = failed[..] {
        let why = one.row.message.clone().or_else(|| one.reason.map(|reason| reason.to_string()))?;
        return Some(format!("{}: {why}", one.row.id));
    }
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in failed.iter().filter_map(|shard| shard.reason) {
        *reasons.entry(reason.as_str()).or_default() += 1;
    }
    let mut reasons: Vec<(&str, usize)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let words = reasons.into_iter().map(|(reason, count)| format!("{count} {reason}"));
    Some(words.collect::<Vec<_>>().join(", ")).filter(|words| !words.is_empty())
}

/// Returns the shares of shards that succeeded and that are lost; shards that a stop has cut off count as neither.
fn compute_share(counts: &PhaseCounts, state: RunWord) -> RunShares {
    let all = counts.iter().map(|(_, count)| count).sum::<usize>().max(1) as f64;
    let of = |wanted: &[PhaseKind]| {
        let some = counts.iter().filter(|(kind, _)| wanted.contains(kind));
        some.map(|(_, count)| count).sum::<usize>() as f64 / all
    };
    RunShares {
        succeeded: of(&[PhaseKind::Succeeded]),
        lost: match state {
            RunWord::Stopped => of(&[PhaseKind::Failed]),
            RunWord::Running | RunWord::Finished | RunWord::Unsupervised => {
                of(&[PhaseKind::Failed, PhaseKind::Cancelled])
            }
        },
        under_way: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ids::ShardId;

    fn known(id: &str, kind: PhaseKind, reason: Option<FailureReason>) -> ShardPreview<'static> {
        let row = PreviewRow {
            id: ShardId::new(id).unwrap(),
            kind,
            condition: None,
            progress: None,
            message: reason.map(|_| "CUDA out of memory".to_owned()),
            left: None,
        };
        ShardPreview { row, reason, metrics: None, unit: None }
    }

    #[test]
    fn one_failure_is_named_and_several_are_counted() {
        let oom = Some(FailureReason::GpuOom);
        let one = [known("a", PhaseKind::Failed, oom), known("b", PhaseKind::Succeeded, None)];
        assert_eq!(describe_failures(&one), Some("a: CUDA out of memory".to_owned()));
        let three = [
            known("a", PhaseKind::Failed, Some(FailureReason::Incomplete)),
            known("b", PhaseKind::Failed, oom),
            known("c", PhaseKind::Failed, oom),
        ];
        assert_eq!(describe_failures(&three), Some("2 gpu-oom, 1 incomplete".to_owned()));
        assert_eq!(describe_failures(&[]), None);
    }

    #[test]
    fn what_a_stop_has_cut_off_is_not_done() {
        let counts = |succeeded, cancelled| {
            PhaseCounts(PhaseKind::ALL.map(|kind| match kind {
                PhaseKind::Succeeded => succeeded,
                PhaseKind::Cancelled => cancelled,
                _other => 0,
            }))
        };
        let done = |share: RunShares| share.succeeded + share.lost + share.under_way;
        assert_eq!(done(compute_share(&counts(1, 3), RunWord::Stopped)), 0.25);
        assert_eq!(done(compute_share(&counts(3, 1), RunWord::Finished)), 1.0, "a user took one out");
    }

    #[test]
    fn what_failed_comes_first_in_a_preview() {
        let kinds = [PhaseKind::Succeeded, PhaseKind::Queued, PhaseKind::Running, PhaseKind::Failed];
        let shards: Vec<ShardPreview<'_>> =
            kinds.iter().map(|kind| known(kind.as_str(), *kind, None)).collect();
        let rows = summarize_shards(&shards, RunWord::Running, PhaseCounts([0; 8])).rows;
        let order: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(order, ["failed", "running", "queued", "succeeded"]);
    }
}
