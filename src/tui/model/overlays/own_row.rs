//! A command of the user's own for the selected shard: what is known of that row, and what it becomes.

use super::own_commands::OwnRun;
use crate::config::sections::commands::{AttemptValues, RowValues, render_argv};
use crate::model::ids::{AttemptKey, GpuIndex};
use crate::model::state::shard_state::ShardState;
use crate::rundir::layout::RunDir;
use crate::tui::model::keys::keyed::{CommandOrigin, KeyedCommand};
use crate::tui::model::screen::{Model, ScreenAccess, Supervision};

/// The command of this number for the selected shard; the error is one line for people.
pub fn prepare_run(model: &Model, number: usize) -> Option<Result<OwnRun, String>> {
    let KeyedCommand { command, origin, .. } = model.own.list.get(number)?;
    let row = row_values(model);
    let folder = match origin {
        CommandOrigin::Settings => None,
        CommandOrigin::Sweep => Some(model.plan.sweep_dir.clone()),
    };
    let run =
        |argv| OwnRun { name: command.name.clone(), shard: row.id.clone(), argv, mode: command.mode, folder };
    Some(render_argv(command, &row).map(run).map_err(|why| format!("{}: {why}", command.name)))
}

/// Collects what is known of the selected shard, if the view shows which one that is.
fn row_values(model: &Model) -> RowValues {
    let run_dir = model.own.run.clone().unwrap_or_default();
    let selected = model.selected_shard().filter(|_| model.views.shown.shows_cursor());
    let Some(reading) = selected else { return RowValues { run_dir, ..RowValues::default() } };
    let state = reading.state;
    let live = state.phase.live();
    let is_watched =
        matches!(model.supervision, Supervision::Alive { .. }) && model.access != ScreenAccess::Replaying;
    let attempt = state.attempt.map(|number| {
        let of = |attempt| RunDir::at(&run_dir).attempt_dir(&AttemptKey { shard: state.id.clone(), attempt });
        let folder = of(number);
        let writes_to = state.grants_of(number).folder_of(number, model.plan.template.resume);
        AttemptValues {
            number,
            out: of(writes_to).out_folder().full_path().to_owned(),
            log: folder.output_log().full_path().to_owned(),
            gpus: attempt_gpus(state),
        }
    });
    RowValues {
        id: Some(state.id.clone()),
        run_dir,
        attempt,
        pid: live.and_then(|live| live.pid).filter(|_| is_watched && model.own.sees_processes),
    }
}

/// The GPUs of the newest attempt: of one that waits to be tried again, those it had.
fn attempt_gpus(state: &ShardState) -> Vec<GpuIndex> {
    if state.phase.attempt() == state.attempt {
        return state.phase.gpus().to_vec();
    }
    let last = state.history.iter().rev().find(|ended| Some(ended.attempt) == state.attempt);
    last.map(|ended| ended.gpus.clone()).unwrap_or_default()
}
