//! `add` and `unwatch`: further values of an axis for a run, and the end of looking for new files.

use std::path::Path;

use super::act::print_done;
use super::act_args::{AddArgs, UnwatchArgs};
use crate::cli::addressing::{control, target};
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::gpu_survey::GpuSurvey;
use crate::cli::output;
use crate::config::growth::{self, GrowthError, SweepSource};
use crate::config::matrix::axis_source::parse_outside_axes;
use crate::config::same_sweep::is_same_sweep;
use crate::config::templates::paths::absolute_path;
use crate::model::command::Command;
use crate::model::sweep::axis::AxisOrigin;
use crate::model::sweep::growth::Growth;
use crate::model::sweep::plan::Plan;
use crate::preflight::finding::{Finding, FindingSeverity};
use crate::preflight::inspect;
use crate::preflight::surroundings::{MachineTelemetry, Surroundings};
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::{plans, records};

/// `add`: the combos of new values join the run.
pub fn run(args: &AddArgs) -> Result<CliExit, CliError> {
    let (run, values) = split_words(args)?;
    let (axis, values) = one_axis(&values)?;
    let growth = check_addition(&run, &axis, &values, args.as_started)?;
    let done = control::ask_supervisor(&run, Command::AddValues { axis: axis.clone(), values })?;
    let shards = if done.shards == 1 { "shard" } else { "shards" };
    print_done(&done, &format!("{axis} + {}: {} new {shards}", growth.listed_values(), done.shards));
    for shard in growth.shards.iter().take(SHOWN) {
        output::print_message(&format!("  {}", shard.id));
    }
    if growth.shards.len() > SHOWN {
        output::print_message(&format!("  and {} more", growth.shards.len() - SHOWN));
    }
    Ok(CliExit::Done)
}

/// So many new shards are named.
const SHOWN: usize = 12;

/// `unwatch`: no more new files are taken up.
pub fn unwatch(args: &UnwatchArgs) -> Result<CliExit, CliError> {
    let run = target::find_run(&args.run)?;
    let done = control::ask_supervisor(&run, Command::Unwatch { axis: args.axis.clone() })?;
    print_done(&done, "new files are not taken up any more; the run ends with its last shard");
    Ok(CliExit::Done)
}

/// The run before the first `AXIS=VALUE`, else the newest one.
fn split_words(args: &AddArgs) -> Result<(RunDir, Vec<(String, String)>), CliError> {
    let (run, words) = match (&args.run, args.words.split_first()) {
        (Some(run), _) => (discover::find_run(run)?, &args.words[..]),
        (None, Some((first, rest))) if !first.contains('=') => (discover::find_run(first)?, rest),
        (None, _) => (discover::newest_run()?, &args.words[..]),
    };
    let pair = |word: &String| match word.split_once('=') {
        Some((axis, value)) => Ok((axis.trim().to_owned(), value.to_owned())),
        None => Err(CliError::usage(format!("`{word}` is no value of an axis"))
            .with_hint("write it as `policy=teacher`")),
    };
    Ok((run, words.iter().map(pair).collect::<Result<_, _>>()?))
}

fn one_axis(pairs: &[(String, String)]) -> Result<(String, Vec<String>), CliError> {
    let Some((axis, _)) = pairs.first() else {
        return Err(CliError::usage("name a value to add").with_hint("write it as `policy=teacher`"));
    };
    if let Some((other, _)) = pairs.iter().find(|(other, _)| other != axis) {
        let hint = "add to one axis after the other: the second brings the combos of both";
        return Err(CliError::usage(format!("values of both `{axis}` and `{other}`")).with_hint(hint));
    }
    Ok((axis.clone(), pairs.iter().map(|(_, value)| value.clone()).collect()))
}

/// Returns what the addition would bring, if it is possible: everything is looked at as before the start of a run.
pub fn check_addition(
    run: &RunDir,
    axis: &str,
    values: &[String],
    as_started: bool,
) -> Result<Growth, CliError> {
    let (plan, info) = (plans::read_plan(run)?, discover::read_info(run)?);
    let source = records::read_text(&run.sweep_toml())?;
    if !as_started {
        refuse_changed(&info.sweep, &source)?;
    }
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    let file_name = info.sweep.file_name().map_or_else(|| Path::new("sweep.toml"), Path::new);
    let given = SweepSource { source: &source, file_name, home: home.as_deref() };
    let values = growth::typed_values(&plan, given, axis, values).map_err(growth_error)?;
    refuse_missing_files(&plan, given, axis, &values.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let growth = growth::grow_for_user(&plan, given, axis, &values).map_err(growth_error)?;
    let new = Plan { shards: growth.shards.clone(), ..plan };
    let gpus = GpuSurvey::for_plan(&new);
    let readings = MachineTelemetry { inventory: &gpus.inventory, gpus: &gpus.readings };
    let report = inspect::inspect_machine(&new, run.path(), readings, &Surroundings::of_this_process());
    let refused = report.findings.iter().filter(|finding| finding.severity == FindingSeverity::Refuse);
    let refused: Vec<String> = refused.map(Finding::to_string).collect();
    if refused.is_empty() {
        return Ok(growth);
    }
    let message = format!("this machine cannot run the new shards\n{}", refused.join("\n"));
    Err(CliError::new(CliExit::Refused, message))
}

fn growth_error(error: GrowthError) -> CliError {
    match error {
        GrowthError::Sweep { all, .. } => CliError::drawn(&all),
        other => CliError::usage(other.to_string()),
    }
}

/// A user who has changed more of the file than the values of its axes may mean the sweep as it is now, which the run
/// does not have. A file that is gone or cannot be read proves nothing.
fn refuse_changed(file: &Path, source: &str) -> Result<(), CliError> {
    let is_changed = std::fs::read_to_string(file).is_ok_and(|now| !is_same_sweep(source, &now));
    if !is_changed {
        return Ok(());
    }
    let message = format!(
        "{} has changed since the run began, in more than the values of its axes; the run goes on with what it was given",
        file.display()
    );
    let hint = "start a new run for the sweep as it is now, or add the value to the sweep as it was with --as-started";
    Err(CliError::usage(message).with_hint(hint))
}

/// A further value of an axis of files has to be there.
fn refuse_missing_files(
    plan: &Plan,
    given: SweepSource<'_>,
    axis: &str,
    files: &[String],
) -> Result<(), CliError> {
    let is_of_files =
        |(name, origin): &(String, AxisOrigin)| name == axis && matches!(origin, AxisOrigin::Glob(_));
    if !parse_outside_axes(given.source).axes.iter().any(is_of_files) {
        return Ok(());
    }
    let is_missing =
        |file: &&String| absolute_path(file, &plan.sweep_dir, given.home).is_ok_and(|path| !path.exists());
    match files.iter().find(is_missing) {
        None => Ok(()),
        Some(file) => {
            let hint = "relative paths start at the folder of the sweep file";
            Err(CliError::usage(format!("there is no file {file} in {}", plan.sweep_dir.display()))
                .with_hint(hint))
        }
    }
}
