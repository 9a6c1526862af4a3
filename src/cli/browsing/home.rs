//! `sweepdeck` alone: what there is to attach to and to start, as a screen on a terminal, else as a list.

use std::path::Path;

use super::browse;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::overview::ls;
use crate::cli::screens::screen_args::ScreenArgs;
use crate::cli::start::launcher;
use crate::cli::start::sweep::Sweep;

/// So many runs are shown; `ls` shows all.
const RUNS: usize = 10;

/// Opens the home screen, or prints both lists where nothing can be drawn.
pub fn run() -> Result<CliExit, CliError> {
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    if output::is_terminal() && !dumb {
        browse::show_home(false, &ScreenArgs::default())
    } else {
        print_lists()
    }
}

fn print_lists() -> Result<CliExit, CliError> {
    let runs = ls::list_runs()?;
    let mut text = String::new();
    if runs.is_empty() {
        text.push_str("no runs yet\n");
    } else {
        text.push_str("runs, newest first (sweepdeck attach RUN):\n");
        text.push_str(&indent_lines(&ls::format_runs(&runs[..runs.len().min(RUNS)])));
        if runs.len() > RUNS {
            text.push_str(&format!("  and {} more: sweepdeck ls\n", runs.len() - RUNS));
        }
    }
    let sweeps = launcher::find_sweeps();
    if sweeps.is_empty() {
        text.push_str("\nno sweep files here or in configs/; try: sweepdeck demo\n");
    } else {
        text.push_str("\nsweeps (sweepdeck check SWEEP, sweepdeck run SWEEP):\n");
        text.push_str(&sweeps.iter().map(|path| format!("  {}\n", describe_sweep(path))).collect::<String>());
    }
    output::print_text(&text)?;
    Ok(CliExit::Done)
}

fn describe_sweep(path: &Path) -> String {
    match Sweep::read(path, false) {
        Ok(sweep) => match sweep.plan.shards.len() {
            1 => format!("{}  1 shard", path.display()),
            shards => format!("{}  {shards} shards", path.display()),
        },
        Err(_) => format!("{}  has problems: sweepdeck check {0}", path.display()),
    }
}

fn indent_lines(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
