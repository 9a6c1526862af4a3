//! `compare`: runs of one sweep side by side.

use super::compare_args::CompareArgs;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::Plan;
use crate::results::comparison::compared::Compared;
use crate::results::comparison::{document, page, text};
use crate::results::findings::Findings;
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::{plans, proven_state};
use crate::supervisor::results::results_files;

/// Contents of the files of a run.
struct LoadedRun {
    run: RunDir,
    info: RunInfo,
    plan: Plan,
    state: RunState,
}

/// Prints the comparison; runs at work, dead ones and old ones are taken as they are.
pub fn run(args: &CompareArgs) -> Result<CliExit, CliError> {
    let read = args.runs.iter().map(|word| read(word)).collect::<Result<Vec<_>, _>>()?;
    let findings = read
        .iter()
        .map(|read| results_files::findings(&read.run, &read.info, &read.plan, &read.state))
        .collect::<Result<Vec<Findings<'_>>, _>>()?;
    let compared = Compared::new(&findings);
    let breaks: Vec<&str> =
        compared.sides.iter().flat_map(|side| &side.sameness.breaks).map(String::as_str).collect();
    if !args.anyway && !breaks.is_empty() {
        let message = format!("these are not runs of the same sweep:\n  {}", breaks.join("\n  "));
        return Err(CliError::usage(message).hint("--anyway compares the combos that they share"));
    }
    if let Some(path) = &args.html {
        std::fs::write(path, page::page(&compared)).map_err(CliError::file("write", path))?;
        output::say(&format!("written to {}", path.display()));
    }
    if args.json {
        output::json(&document::document(&compared))?;
    } else {
        output::text(&text::text(&compared))?;
    }
    Ok(CliExit::Done)
}

fn read(word: &str) -> Result<LoadedRun, CliError> {
    let run = discover::find(word)?;
    let state = proven_state::read(&run)?;
    let mut plan = plans::read(&run)?;
    plan.catch_up(&state);
    Ok(LoadedRun { info: discover::info(&run)?, plan, state, run })
}
