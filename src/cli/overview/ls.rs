//! `ls`: the runs that can be found, newest first.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::overview::overview_args::LsArgs;
use crate::model::hours::wall_time::format_moment;
use crate::model::ids::RunId;
use crate::model::logs::printable::{cell_width, pad_to_width};
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_info::RunPointer;
use crate::model::state::run_state::RunState;
use crate::model::state::service_state::count_phases;
use crate::model::units::or_unknown;
use crate::results::status::document::{PhaseCounts, RunWord};
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::{proven_state, residence};

/// The version of an entry. Keys may be added to it; none is taken away or changes its meaning.
const LS_VERSION: u32 = 1;

/// Entry of the list of runs.
#[derive(Debug, Clone, Serialize)]
pub struct RunEntry {
    /// Version of this document: each entry has it, because the list is an array.
    pub version: u32,
    /// Its name on this machine.
    pub id: RunId,
    /// Name of the sweep it runs.
    pub name: String,
    /// Folder of the run, absolute.
    pub dir: PathBuf,
    /// When it was created.
    pub created: Timestamp,
    /// State of the run; `None` if its journal cannot be read.
    pub state: Option<RunWord>,
    /// When its shards may start, where they may not now.
    pub opens: Option<Timestamp>,
    /// Shards by phase; `None` if its journal does not read.
    pub counts: Option<PhaseCounts>,
    /// Instances of services by phase; `None` if its journal does not read.
    pub services: Option<BTreeMap<&'static str, usize>>,
}

/// Prints the list of the runs as text or JSON.
pub fn run(args: &LsArgs) -> Result<CliExit, CliError> {
    let runs = list_runs()?;
    if args.json {
        output::print_json(&runs)?;
    } else if runs.is_empty() {
        output::print_message(
            "there is no run yet; start one with `sweepdeck run SWEEP` or `sweepdeck demo`",
        );
    } else {
        output::print_text(&format_runs(&runs))?;
    }
    Ok(CliExit::Done)
}

/// All runs, newest first.
pub fn list_runs() -> Result<Vec<RunEntry>, CliError> {
    Ok(discover::list_runs()?.into_iter().map(look_at).collect())
}

/// Reads the state of a run.
pub fn look_at(pointer: RunPointer) -> RunEntry {
    let run = RunDir::at(&pointer.dir);
    let supervised = residence::seems_served(&run);
    // One damaged run must not hide the others.
    let state = proven_state::fold_journal(&run).ok();
    RunEntry {
        version: LS_VERSION,
        state: state.as_ref().map(|state| RunWord::from_stage(state.stage, supervised)),
        opens: state.as_ref().filter(|_| supervised).and_then(RunState::opens_at),
        counts: state.as_ref().map(PhaseCounts::from_state),
        services: state.as_ref().map(|state| count_phases(&state.services)),
        id: pointer.id,
        name: pointer.name,
        dir: pointer.dir,
        created: pointer.created,
    }
}

/// Formats the runs, one line each.
pub fn format_runs(runs: &[RunEntry]) -> String {
    let here = std::env::current_dir().ok();
    let cells = runs.iter().map(|run| cell_width(&run.id.0)).max().unwrap_or(0);
    runs.iter()
        .map(|run| {
            let created = run.created.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M");
            let zone = TimeZone::system();
            let word = run.state.map_or("unreadable", RunWord::as_str).to_owned();
            let state =
                run.opens.map_or(word, |at| format!("at {}", format_moment(at, Timestamp::now(), &zone)));
            let counts = or_unknown(run.counts.as_ref(), format_counts);
            let counts = counts + &format_services(run);
            // A folder below this one is shown from here: whole paths do not fit next to the rest.
            let below = here.as_ref().and_then(|here| run.dir.strip_prefix(here).ok());
            let dir = below.filter(|below| !below.as_os_str().is_empty()).unwrap_or(&run.dir);
            let id = pad_to_width(&run.id.0, cells);
            format!("{id}  {state:<12}  {counts:<14}  {created}  {}\n", dir.display())
        })
        .collect()
}

/// `, services: 1 failed, 2 ready`; those that have ended are no news.
fn format_services(run: &RunEntry) -> String {
    let counts = run.services.iter().flatten().filter(|(word, _)| **word != "ended");
    let words: Vec<String> = counts.map(|(word, count)| format!("{count} {word}")).collect();
    if words.is_empty() { String::new() } else { format!(", services: {}", words.join(", ")) }
}

/// Formats the counts, for example `7/8, 1 failed`.
fn format_counts(counts: &PhaseCounts) -> String {
    let all: usize = counts.iter().map(|(_, count)| count).sum();
    let of = |wanted| counts.iter().find(|(kind, _)| *kind == wanted).map_or(0, |(_, count)| count);
    let done = format!("{}/{all}", of(PhaseKind::Succeeded));
    match of(PhaseKind::Failed) {
        0 => done,
        failed => format!("{done}, {failed} failed"),
    }
}
