//! Keys about the whole run: start nothing more, end everything, go on.

use super::acting::{list_losses, show_refusal};
use crate::model::command::Command;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunStage;
use crate::tui::format::plural;
use crate::tui::keymap::action::{Action, RunAction};
use crate::tui::keymap::lookup::available_bindings;
use crate::tui::message::Request;
use crate::tui::model::overlays::overlay::{Confirmation, Overlay, Question};
use crate::tui::model::screen::Model;
use crate::tui::model::shards::shard_row::ShardRow;

/// Asks before nothing more is started.
pub fn ask_drain(model: &mut Model) {
    match model.state.stage {
        RunStage::Active => {}
        RunStage::Draining | RunStage::Stopping => {
            return show_refusal(model, "the run is being stopped already");
        }
        RunStage::Ended { .. } => return show_refusal(model, "the run is over"),
    }
    let mut lines = Vec::new();
    if model.state.active_count() > 0 {
        lines.push(format!(
            "{} under way: they go on to their end",
            plural(model.state.active_count(), "attempt")
        ));
    }
    lines.push(format!(
        "{} queued: they stay queued until {} continues the run",
        model.count_in_phase(PhaseKind::Queued),
        way_on(model)
    ));
    let command = Command::Stop { now: false };
    let title = "Start nothing more?".to_owned();
    model.overlay = Overlay::Confirm(Question { title, losses: lines, command, answer: Confirmation::Yes });
}

/// Asks for the name of the sweep before all of it is ended.
pub fn ask_end(model: &mut Model) {
    match model.state.stage {
        RunStage::Active | RunStage::Draining => {}
        RunStage::Stopping => return show_refusal(model, "the run is being stopped already"),
        RunStage::Ended { .. } => return show_refusal(model, "the run is over"),
    }
    let live: Vec<ShardRow<'_>> =
        model.readings().filter(|reading| reading.state.phase.kind().is_active()).collect();
    let mut lines = list_losses(&live);
    lines.push(format!("{} queued: they are not started", model.count_in_phase(PhaseKind::Queued)));
    lines.push(format!("{} continues the run later: what is cut short starts again", way_on(model)));
    let answer = Confirmation::Name { wanted: model.plan.name.clone(), typed: String::new() };
    let title = format!("End all of {} now?", model.plan.name);
    model.overlay =
        Overlay::Confirm(Question { title, losses: lines, command: Command::Stop { now: true }, answer });
}

/// How a stopped run is continued.
fn way_on(model: &Model) -> String {
    way_to(model, Action::Run(RunAction::Continue), "recover")
}

/// How something is done: by its key, and by the verb where the dashboard is closed.
pub(super) fn way_to(model: &Model, action: Action, verb: &str) -> String {
    let binding = available_bindings(model.access).find(|binding| binding.action == action);
    let key = binding.and_then(|binding| binding.first_key(&model.keymap));
    let key = key.map(|key| format!("{key} or ")).unwrap_or_default();
    format!("{key}`sweepdeck {verb}`")
}

/// Goes on after a stop, before its time, and with what is held; nothing is lost, so nothing is asked.
pub fn go_on(model: &mut Model) -> Vec<Request> {
    if model.state.stage == RunStage::Active && model.state.opening.opens_at().is_some() {
        return vec![Request::Send(Command::StartNow)];
    }
    if model.state.stage == RunStage::Active && !model.state.run_holds.holds_any() {
        show_refusal(model, "the run continues already; resume paused shards with the key that pauses them");
        return Vec::new();
    }
    vec![Request::Send(Command::Continue)]
}
