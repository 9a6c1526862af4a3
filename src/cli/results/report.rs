//! `report`: writes the results of a run again and prints them.

use crate::cli::addressing::control::{self, Ownership};
use crate::cli::addressing::target;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::results::report_args::ReportArgs;
use crate::results::faces::text;
use crate::results::merge::merging::Gaps;
use crate::results::merge::record::MergedFile;
use crate::rundir::machine_wide::discover;
use crate::rundir::{plans, proven_state};
use crate::supervisor::results::results_files;

/// Prints the table; the files are written again where the run is the user's own.
pub fn run(args: &ReportArgs) -> Result<CliExit, CliError> {
    let run = target::find_run(&args.run)?;
    let info = discover::read_info(&run)?;
    let mut plan = plans::read_first_plan(&run)?;
    let state = proven_state::read_state(&run)?;
    plan.catch_up(&state);
    let ownership = if args.read_only { None } else { Some(control::check_ownership(&run)?) };
    match ownership {
        None => {}
        Some(Ownership::Owner | Ownership::Elsewhere { .. } | Ownership::Copy { .. }) => {
            let gaps = if args.partial { Gaps::Told } else { Gaps::Refused };
            let written = results_files::write(&run, &info, &plan, &state, gaps)?;
            output::print_message(&format!("written to {}", run.results_folder().display()));
            tell_merged(&written.merged, gaps);
        }
        Some(Ownership::Stranger) => {
            output::print_message("the run belongs to another user: its files are left as they are")
        }
    }
    output::print_text(&text::render_results_text(&plan, &state))?;
    Ok(CliExit::Done)
}

/// Prints what was merged, and the notes on what was not, with the reasons.
fn tell_merged(merged: &[MergedFile], gaps: Gaps) {
    let told: Vec<String> = merged.iter().filter_map(MergedFile::describe_gaps).collect();
    told.iter().for_each(|line| output::print_message(line));
    merged
        .iter()
        .flat_map(|file| &file.notes)
        .for_each(|note| output::print_message(&format!("warning: {note}")));
    if !told.is_empty() && gaps == Gaps::Refused {
        output::print_message(
            "`report --partial` merges the pieces that are sound, and says so in the file's name",
        );
    }
}
