//! Remarks on what is odd about a shard in addition to its state.

use super::shard_row::ShardRow;
use crate::model::cancel_cause::CancelCause;
use crate::model::state::phase::Phase;
use crate::tui::model::words;

impl ShardRow<'_> {
    /// A success or a run with remarks is one to look at.
    pub fn has_warnings(&self) -> bool {
        // An edited shard is not as the sweep declares it.
        let is_edited = !self.state.edit.is_empty() && self.state.attempt.is_some();
        is_edited || !self.warnings().is_empty()
    }

    fn warnings(&self) -> &[String] {
        match &self.state.phase {
            Phase::Succeeded(ended) => &ended.outcome.warnings,
            Phase::Running(_) | Phase::Paused { .. } => &self.state.warnings.0,
            Phase::Queued { .. }
            | Phase::Starting { .. }
            | Phase::Stopping { .. }
            | Phase::Failed { .. }
            | Phase::Cancelled { .. } => &[],
        }
    }

    /// Returns what is odd about it, or why the attempt before failed.
    pub fn remark_text(&self) -> Option<String> {
        if let Phase::Cancelled { cause: cause @ CancelCause::ComparisonDecided, .. } = &self.state.phase {
            return Some(cause.as_text().to_owned());
        }
        if self.has_warnings() {
            return Some(self.warnings().join("; "));
        }
        let before = self.state.history.last()?;
        let failure = words::outcome_failure(&before.outcome)?;
        Some(format!("attempt {} ended: {}", before.attempt, failure.brief_text()))
    }
}
