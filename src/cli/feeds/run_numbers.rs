//! The numbers of all runs of the user, read from their directories.

use std::time::{Duration, SystemTime};

use crate::cli::error::CliError;
use crate::cli::overview::status;
use crate::model::state::run_info::RunPointer;
use crate::results::exposition::exposition_text::Exposition;
use crate::results::exposition::{definitions, machine_series, run_series};
use crate::results::status::document::Status;
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::residence;

/// So many runs are shown, the newest: each has its own series, and a store of them keeps each for weeks.
const MOST_RUNS: usize = 50;

/// Renders the numbers of the runs at work, and of those that ended no longer ago than `keep`.
pub fn render_numbers(keep: Duration) -> Result<String, CliError> {
    let mut exposition = Exposition::default();
    exposition.add(&definitions::BUILD_INFO, &[env!("CARGO_PKG_VERSION")], 1.0);
    let shown = discover::list_runs()?.into_iter().filter(|pointer| is_recent(pointer, keep));
    let runs: Vec<RunDir> = shown.take(MOST_RUNS).map(|pointer| RunDir::at(&pointer.dir)).collect();
    // One damaged run must not hide the others.
    let statuses: Vec<Status> = runs.iter().filter_map(|run| status::read_status(run).ok()).collect();
    let unreadable = runs.len() - statuses.len();
    exposition.add(&definitions::RUNS_UNREADABLE, &[], unreadable as f64);
    statuses.iter().for_each(|status| run_series::add_run(&mut exposition, status));
    machine_series::add_machine(&mut exposition, &statuses);
    Ok(exposition.render())
}

/// A run at work, or one in which something happened not long ago.
fn is_recent(pointer: &RunPointer, keep: Duration) -> bool {
    let run = RunDir::at(&pointer.dir);
    let written = run.journal_path().metadata().and_then(|metadata| metadata.modified());
    let age = written.ok().and_then(|written| SystemTime::now().duration_since(written).ok());
    residence::seems_served(&run) || age.is_none_or(|age| age <= keep)
}
