//! `doctor`: says of each concern of this machine whether it is in order, and what to do where it is not.

use std::path::{Path, PathBuf};

use rustix::termios::tcgetwinsize;
use serde::Serialize;

use super::bug_report;
use super::doctor_args::DoctorArgs;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::preflight::doctor::check::{Check, CheckLevel};
use crate::preflight::doctor::facts::{SessionFacts, TerminalFacts};
use crate::preflight::doctor::gather::gather_facts;
use crate::preflight::doctor::judge::judge_machine;
use crate::preflight::surroundings::Surroundings;
use crate::rundir::machine_wide::discover;
use crate::socket::address;
use crate::tui::terminal::terminal_style;
use crate::tui::theme::color::Depth;

/// The version of the JSON of `doctor`.
const VERSION: u32 = 1;

/// The JSON of `doctor`.
#[derive(Debug, Serialize)]
struct Document<'a> {
    version: u32,
    sweepdeck: &'static str,
    checks: &'a [Check],
}

/// Prints the checks; the exit code says whether there is a problem.
pub fn run(args: &DoctorArgs) -> Result<CliExit, CliError> {
    let folder = args.folder.clone().unwrap_or_else(|| PathBuf::from("results"));
    let folder = std::path::absolute(&folder).map_err(CliError::for_file("find", &folder))?;
    let checks = check_machine(&folder);
    if let Some(file) = &args.report {
        bug_report::write_report(file, &format_checks(&checks))?;
        output::print_message(&format!("the report is in {}: read it before you send it", file.display()));
    }
    if args.json {
        output::print_json(&Document {
            version: VERSION,
            sweepdeck: env!("CARGO_PKG_VERSION"),
            checks: &checks,
        })?;
    } else {
        output::print_text(&format_checks(&checks))?;
    }
    let has_problem = checks.iter().any(|check| check.level == CheckLevel::Problem);
    Ok(if has_problem { CliExit::Refused } else { CliExit::Done })
}

fn check_machine(folder: &Path) -> Vec<Check> {
    let facts = gather_facts(folder, &Surroundings::of_this_process(), gather_session());
    judge_machine(&facts)
}

fn gather_session() -> SessionFacts {
    let variable = |name: &str| std::env::var(name).ok();
    let terminal = output::is_terminal().then(|| TerminalFacts {
        kind: variable("TERM"),
        speaks_unicode: terminal_style::speaks_unicode(variable),
        size: tcgetwinsize(rustix::stdio::stdout()).ok().map(|size| (size.ws_col, size.ws_row)),
        colours: match Depth::from_environment(variable) {
            Depth::None => "no colours (NO_COLOR)",
            Depth::Ansi16 => "16 colours",
            Depth::Ansi256 => "256 colours",
            Depth::True => "true colour",
        },
    });
    SessionFacts {
        terminal,
        sockets: address::socket_folder().map_err(|error| error.to_string()),
        state: prepare_state(),
    }
}

/// The folder that remembers runs, made as a run would make it.
fn prepare_state() -> Result<PathBuf, String> {
    let folder = discover::pointers_folder().map_err(|error| error.to_string())?;
    let cannot = |error: std::io::Error| format!("cannot use {}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(cannot)?;
    rustix::fs::access(&folder, rustix::fs::Access::WRITE_OK).map_err(|error| cannot(error.into()))?;
    Ok(folder)
}

/// Formats the checks, a line each, and the remedy below where there is one.
fn format_checks(checks: &[Check]) -> String {
    let width = checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    let line = |check: &Check| {
        let remedy =
            check.remedy.as_ref().map(|remedy| format!("{:11}help: {remedy}\n", "")).unwrap_or_default();
        format!("{:<9}  {:width$}  {}\n{remedy}", check.level.as_str(), check.name, check.message)
    };
    checks.iter().map(line).collect()
}
