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
    let read = args.runs.iter().map(|word| read_run(word)).collect::<Result<Vec<_>, _>>()?;
    let findings = read
        .iter()
        .map(|read| results_files::read_findings(&read.run, &read.info, &read.plan, &read.state))
        .collect::<Result<Vec<Findings<'_>>, _>>()?;
    let compared = Compared::new(&findings);
    let breaks: Vec<&str> =
        compared.sides.iter().flat_map(|side| &side.sameness.breaks).map(String::as_str).collect();
    if !args.anyway && !breaks.is_empty() {
        let message = format!("these are not runs of the same sweep:\n  {}", breaks.join("\n  "));
        return Err(CliError::usage(message).with_hint("--anyway compares the combos that they share"));
    }
    if let Some(path) = &args.html {
        std::fs::write(path, page::render_comparison_page(&compared))
            .map_err(CliError::for_file("write", path))?;
        output::print_message(&format!("written to {}", path.display()));
    }
    if args.json {
        output::print_json(&document::build_document(&compared))?;
    } else {
        output::print_text(&text::render_comparison(&compared))?;
    }
    Ok(CliExit::Done)
}

fn read_run(word: &str) -> Result<LoadedRun, CliError> {
    let run = discover::find_run(word)?;
    let state = proven_state::read_state(&run)?;
    let mut plan = plans::read_plan(&run)?;
    plan.catch_up(&state);
    Ok(LoadedRun { info: discover::read_info(&run)?, plan, state, run })
}
