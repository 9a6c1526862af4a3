//! The run in a few words, for a user who looks elsewhere: the terminal's title, and news worth a bell.

use crate::model::logs::printable::to_printable;
use crate::model::state::phase::{Phase, PhaseKind};
use crate::model::state::run_state::RunStage;
use crate::tui::model::screen::{Model, ScreenAccess};

/// A title is cut here; tabs have room for less.
const LONGEST: usize = 80;

/// The title: `sweepdeck h100_eval 5/12 ✗1`. It changes when a shard ends, and not every second.
pub fn window_title(model: &Model, failed_sign: &str) -> String {
    let over = PhaseKind::ALL
        .into_iter()
        .filter(|kind| kind.is_final())
        .map(|kind| model.count_in_phase(kind))
        .sum::<usize>();
    let mut title = format!("sweepdeck {} {over}/{}", model.info.name, model.state.shards.len());
    match model.count_in_phase(PhaseKind::Failed) {
        0 => {}
        failed => title.push_str(&format!(" {failed_sign}{failed}")),
    }
    match (model.access, model.state.stage) {
        (ScreenAccess::Replaying, _) => title.push_str(" (replay)"),
        (_, RunStage::Ended { finished: true, .. }) => title.push_str(" done"),
        (_, RunStage::Ended { finished: false, .. }) => title.push_str(" stopped"),
        (_, RunStage::Active | RunStage::Draining | RunStage::Stopping) => {}
    }
    to_printable(&title).chars().take(LONGEST).collect()
}

/// The facts that were already known of a run, so that only what happens while the user watches is news.
#[derive(Debug, Clone, Copy, Default)]
pub struct NewsTracker {
    /// Nothing before the journal was read for the first time.
    seen: Option<SeenState>,
}

#[derive(Debug, Clone, Copy)]
struct SeenState {
    has_failed: bool,
    is_over: bool,
}

impl NewsTracker {
    /// Returns a line about what has happened since the last call: the first failure, or the end of the run.
    pub fn take_news(&mut self, model: &Model) -> Option<String> {
        model.state.run.as_ref().filter(|_| model.access != ScreenAccess::Replaying)?;
        let is_over = model.state.stage.is_over();
        let failed = model.count_in_phase(PhaseKind::Failed);
        let before = self.seen;
        let has_failed = failed > 0 || before.is_some_and(|before| before.has_failed);
        self.seen = Some(SeenState { has_failed, is_over });
        let before = before?;
        let name = &model.info.name;
        let text = if is_over && !before.is_over {
            let succeeded = model.count_in_phase(PhaseKind::Succeeded);
            format!(
                "sweepdeck: {name} is over: {succeeded} of {} succeeded, {failed} failed",
                model.state.shards.len()
            )
        } else if has_failed && !before.has_failed {
            let shard =
                model.state.shards.iter().find(|shard| matches!(shard.phase, Phase::Failed { .. }))?;
            let why = shard.phase.failure().map(|failure| failure.reason.as_str()).unwrap_or_default();
            format!("sweepdeck: {} of {name} has failed: {why}", shard.id)
        } else {
            return None;
        };
        Some(to_printable(&text).into_owned())
    }
}
