//! The successes of one shard as they count for a whole.

use crate::model::outcome::{Metrics, Progress};
use crate::model::phase::PhaseKind;

/// What a shard did that failed is no fair sample.
pub fn is_left_out(kind: PhaseKind) -> bool {
    match kind {
        PhaseKind::Failed | PhaseKind::Cancelled => true,
        PhaseKind::Queued
        | PhaseKind::Starting
        | PhaseKind::Running
        | PhaseKind::Paused
        | PhaseKind::Stopping
        | PhaseKind::Succeeded => false,
    }
}

/// Successes and the episodes behind them, of a shard that succeeded or is on its way; none where they are not known.
pub fn successes(kind: PhaseKind, metrics: &Metrics, progress: Option<Progress>) -> Option<(f64, f64)> {
    if is_left_out(kind) { None } else { count_successes(metrics, progress) }
}

/// Successes and the episodes behind them, whatever became of the shard; none where they are not known.
pub fn count_successes(metrics: &Metrics, progress: Option<Progress>) -> Option<(f64, f64)> {
    let done = || progress.map(|progress| progress.done as f64);
    let episodes = metrics.get("episodes").copied().or_else(done).filter(|episodes| *episodes > 0.0)?;
    let of_rate = || {
        let rate = metrics.get("success_rate").filter(|rate| (0.0..=1.0).contains(*rate))?;
        Some(rate * episodes)
    };
    Some((metrics.get("successes").copied().or_else(of_rate)?, episodes))
}
