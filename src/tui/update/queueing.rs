//! Keys about the queue: what a requeue will do, taking one back, and who starts first.

use std::collections::BTreeMap;

use super::acting::{self, build_selection, collect_targets, describe_targets, refuse_shards, show_refusal};
use super::services;
use super::whole_run::way_to;
use crate::model::cancel_cause::CancelCause;
use crate::model::command::{Command, Selection};
use crate::model::priority::Priority;
use crate::model::state::phase::{Phase, PhaseKind};
use crate::model::state::shard_state::ShardState;
use crate::tui::format::plural;
use crate::tui::keymap::action::{Action, RunAction};
use crate::tui::message::Request;
use crate::tui::model::screen::Model;

/// Number of shards that are listed one by one before they run again.
const TOLD: usize = 8;

/// Describes what will run again and why, one line a shard, and what is kept.
pub fn preview_requeue(model: &Model, targets: &[usize]) -> Vec<String> {
    let shards: Vec<&ShardState> = targets.iter().filter_map(|at| model.shard_at(*at)).collect();
    let mut lines: Vec<String> = shards.iter().take(TOLD).map(|shard| describe_requeue(shard)).collect();
    if shards.len() > TOLD {
        lines.push(format!("and {} more", plural(shards.len() - TOLD, "shard")));
    }
    let succeeded = shards.iter().filter(|shard| shard.phase.kind() == PhaseKind::Succeeded).count();
    if succeeded > 0 {
        lines.push(format!("{succeeded} already succeeded: the new attempt's results count"));
    }
    let kept: usize = shards.iter().map(|shard| shard.attempt.map_or(0, |attempt| attempt.0 as usize)).sum();
    if kept > 0 {
        let theirs =
            if kept == 1 { "its folder, log and results" } else { "their folders, logs and results" };
        lines.push(format!("{} kept, with {theirs}", plural(kept, "earlier attempt")));
    }
    let undo = way_to(model, Action::Run(RunAction::Undo), "undo");
    lines.push(format!("{undo} takes it back as long as the new attempt has not started"));
    lines
}

/// `stairs_flat: attempt 2, after incomplete: 63 of 100 episodes`.
fn describe_requeue(shard: &ShardState) -> String {
    let attempt = shard.attempt.map_or(1, |attempt| attempt.next().0);
    let why = match &shard.phase {
        Phase::Failed { failure, .. } => format!("after {}", failure.brief_text()),
        Phase::Succeeded(_) => "after a success".to_owned(),
        Phase::Cancelled { ended: Some(_), .. } => "after it was stopped with the run".to_owned(),
        Phase::Cancelled { ended: None, cause: CancelCause::Asked, .. } => {
            "after it was taken out of the queue".to_owned()
        }
        Phase::Cancelled { ended: None, cause: CancelCause::NotHere, .. } => {
            CancelCause::NotHere.as_text().to_owned()
        }
        Phase::Cancelled { ended: None, cause: CancelCause::ComparisonDecided, .. } => {
            "after its comparison was decided".to_owned()
        }
        Phase::Queued { .. }
        | Phase::Starting { .. }
        | Phase::Running(_)
        | Phase::Paused { .. }
        | Phase::Stopping { .. } => shard.phase.kind().as_str().to_owned(),
    };
    let edited = if shard.edit.is_empty() {
        String::new()
    } else {
        format!("; as the sweep gives it, no longer edited ({})", shard.edit)
    };
    format!("{}: attempt {attempt}, {why}{edited}", shard.id)
}

/// Takes the newest requeue back as a whole, as far as it has not started; with marks, those of the marked shards.
pub fn undo_requeue(model: &mut Model) -> Vec<Request> {
    let can = |shard: &ShardState| shard.former.is_some();
    model.undo_leaves.clear();
    let undone: Vec<usize> = if model.table.marked.is_empty() {
        let shards = &model.state.shards;
        let newest = shards.iter().filter(|shard| can(shard)).filter_map(|shard| shard.asked).max();
        let Some(newest) = newest else {
            show_refusal(
                model,
                "no requeue can be taken back: the new attempt has started, or there was none",
            );
            return Vec::new();
        };
        // An older one is not what was done last.
        if let Some(later) = shards.iter().find(|shard| shard.asked > Some(newest)) {
            let why = format!(
                "the newest requeue has started ({}); kill ends it, marks choose older ones",
                later.id
            );
            show_refusal(model, &why);
            return Vec::new();
        }
        let asked = |at: &usize| shards[*at].asked == Some(newest);
        let (waiting, started): (Vec<usize>, Vec<usize>) =
            (0..shards.len()).filter(asked).partition(|at| can(&shards[*at]));
        model.undo_leaves = started.into_iter().map(|at| shards[at].id.clone()).collect();
        waiting
    } else {
        let marked = collect_targets(model, |kind| kind == PhaseKind::Queued);
        marked.into_iter().filter(|at| model.shard_at(*at).is_some_and(can)).collect()
    };
    if undone.is_empty() {
        show_refusal(model, "none of the marked shards was requeued and still waits");
        return Vec::new();
    }
    vec![Request::Send(Command::Undo { shards: build_selection(model, &undone) })]
}

/// Moves queued shards before or after the others by one step each.
pub fn change_priority(model: &mut Model, by: i32) -> Vec<Request> {
    let queued = collect_targets(model, |kind| kind == PhaseKind::Queued);
    if queued.is_empty() {
        refuse_shards(model, "only queued shards have a place in the queue");
        return Vec::new();
    }
    let mut groups: BTreeMap<Priority, Vec<usize>> = BTreeMap::new();
    for position in queued {
        // The place of a service is decided by the shards that need it.
        let Some(shard) = model.state.shards.get(position) else { continue };
        groups.entry(shard.priority.moved_by(by)).or_default().push(position);
    }
    let command = |(priority, shards): (Priority, Vec<usize>)| {
        Request::Send(Command::SetPriority { shards: build_selection(model, &shards), priority })
    };
    groups.into_iter().map(command).collect()
}

/// Asks before ended shards are run once more.
pub fn ask_requeue(model: &mut Model) {
    if services::ask_restart(model) {
        return;
    }
    let targets = collect_targets(model, PhaseKind::is_final);
    if targets.is_empty() {
        refuse_shards(model, "only shards that are over can be requeued");
        return;
    }
    let command = Command::Requeue { shards: build_selection(model, &targets) };
    let title = format!("Requeue {}?", describe_targets(model, &targets));
    acting::ask_confirmation(model, title, preview_requeue(model, &targets), &targets, command);
}

/// Asks before all failed shards are run once more, whatever is marked.
pub fn ask_requeue_failed(model: &mut Model) {
    let failed = |position: &usize| matches!(model.state.shards[*position].phase, Phase::Failed { .. });
    let targets: Vec<usize> = (0..model.state.shards.len()).filter(failed).collect();
    if targets.is_empty() {
        show_refusal(model, "no shard has failed");
        return;
    }
    let title = format!("Requeue {}?", plural(targets.len(), "failed shard"));
    let command = Command::Requeue { shards: Selection::Failed };
    acting::ask_confirmation(model, title, preview_requeue(model, &targets), &targets, command);
}
