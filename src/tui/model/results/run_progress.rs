//! Progress and success of the run as a whole: counted over all shards after facts and once a second, not for every
//! frame.

use super::overall::Overall;
use crate::model::outcome::Progress;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::Plan;
use crate::tui::model::shards::shard_row::ShardRow;

/// Progress and success of the run as a whole.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunProgress {
    /// How far it is, each shard counting the same.
    pub share: RunShares,
    /// The success of the whole run.
    pub overall: Overall,
}

/// Parts of a run, 0 to 1 each.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RunShares {
    /// Part that is done and has succeeded.
    pub succeeded: f64,
    /// Part that is over without success.
    pub lost: f64,
    /// Done of shards that are not over.
    pub under_way: f64,
}

impl RunProgress {
    /// Counts over all shards; `before` is what was known of the run's success.
    pub fn from_run<'a>(
        run: (&Plan, &RunState),
        readings: impl Iterator<Item = ShardRow<'a>> + Clone,
        before: Overall,
    ) -> Self {
        Self {
            share: RunShares::from_readings(readings.clone()),
            overall: Overall::from_run(run, readings, before),
        }
    }
}

impl RunShares {
    fn from_readings<'a>(readings: impl Iterator<Item = ShardRow<'a>>) -> Self {
        let (mut share, mut shards) = (Self::default(), 0_u32);
        for reading in readings {
            shards += 1;
            match reading.state.phase.kind() {
                PhaseKind::Succeeded => share.succeeded += 1.0,
                PhaseKind::Failed | PhaseKind::Cancelled => share.lost += 1.0,
                PhaseKind::Queued
                | PhaseKind::Starting
                | PhaseKind::Running
                | PhaseKind::Paused
                | PhaseKind::Stopping => {
                    share.under_way += reading.progress().and_then(Progress::fraction).unwrap_or(0.0);
                }
            }
        }
        let total = f64::from(shards.max(1));
        Self {
            succeeded: share.succeeded / total,
            lost: share.lost / total,
            under_way: share.under_way / total,
        }
    }
}
