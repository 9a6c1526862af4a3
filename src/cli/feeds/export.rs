//! `export`: brings the numbers of a run to a tracker; done again, it doubles nothing.

use std::io::ErrorKind;
use std::process::Command;

use super::export_args::{ExportArgs, Tracker};
use crate::cli::addressing::target;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::overview::status;
use crate::model::ids::AttemptKey;
use crate::results::status::document::Status;
use crate::results::tensorboard::event_file::{ShardEvents, encode_event_file};
use crate::rundir::beneath::{DirHandle, PathBeneath};
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;
use crate::rundir::marks::MarkReader;

/// Exports the run.
pub fn run(args: &ExportArgs) -> Result<CliExit, CliError> {
    let run = target::find_run(&args.run)?;
    match args.to {
        Tracker::Tensorboard => write_event_files(&run, args),
        Tracker::Wandb | Tracker::Mlflow | Tracker::Trackio => call_python(&run, args),
    }
}

fn write_event_files(run: &RunDir, args: &ExportArgs) -> Result<CliExit, CliError> {
    if args.offline || args.project.is_some() {
        return Err(CliError::usage("event files of TensorBoard have no `--project` and no `--offline`"));
    }
    let folder = match &args.out {
        Some(out) => {
            std::fs::create_dir_all(out).map_err(CliError::for_file("create", out))?;
            DirHandle::at(out).join("")
        }
        None => run.results_folder().join("tensorboard"),
    };
    let status = status::read_status(run)?;
    let written = write_shards(run, &status, &folder)?;
    output::print_message(&format!("{written} shards, in {}", folder.full_path().display()));
    output::print_message(&format!(
        "look at them with: tensorboard --logdir {}",
        folder.full_path().display()
    ));
    Ok(CliExit::Done)
}

/// Writes a folder with one file for each shard that has begun; returns their number.
fn write_shards(run: &RunDir, status: &Status, folder: &PathBeneath) -> Result<usize, CliError> {
    let mut written = 0;
    for shard in &status.shards {
        let Some(attempt) = shard.attempt else { continue };
        let key = AttemptKey { shard: shard.id.clone(), attempt };
        let marks = MarkReader::new(&run.attempt_dir(&key).marks_path()).read_new()?.marks;
        let file = encode_event_file(&ShardEvents {
            run: &status.run.id.0,
            begun: status.run.started,
            vars: &shard.vars,
            marks: &marks,
            result: shard.phase.is_final().then_some(&shard.metrics),
        });
        // The name stays the same, so that a later export replaces the earlier one.
        let name = format!("events.out.tfevents.{:010}.sweepdeck", status.run.started.as_second());
        let place = folder.join(shard.id.as_str());
        place.create_dir_all().map_err(RunDirError::io("create", &place))?;
        let path = place.join(name);
        path.replace(&file).map_err(RunDirError::io("write", &path))?;
        written += 1;
    }
    Ok(written)
}

/// The other trackers are reached through their Python packages.
fn call_python(run: &RunDir, args: &ExportArgs) -> Result<CliExit, CliError> {
    if args.out.is_some() {
        return Err(CliError::usage("`--out` is for `--to tensorboard`"));
    }
    let python = std::env::var_os("SWEEPDECK_PYTHON").unwrap_or_else(|| "python3".into());
    let tracker: &'static str = args.to.into();
    let mut command = Command::new(&python);
    command.args(["-m", "sweepdeck.sync", "--to", tracker]);
    command.args(args.offline.then_some("--offline"));
    command.args(args.project.iter().flat_map(|project| ["--project", project]));
    let program = std::env::current_exe().map_err(CliError::system("find this program"))?;
    let ended = command.arg("--").arg(run.path()).env("SWEEPDECK_PROGRAM", program).status();
    let python = python.to_string_lossy();
    let ended = ended.map_err(|error| match error.kind() {
        ErrorKind::NotFound => CliError::unreachable(format!("there is no `{python}`"))
            .with_hint("set SWEEPDECK_PYTHON to the Python that has sweepdeck and the tracker"),
        _ => CliError::system("start Python")(error),
    })?;
    match ended.success() {
        true => Ok(CliExit::Done),
        false => {
            Err(CliError::unreachable(format!("the export by `{python} -m sweepdeck.sync` did not work"))
                .with_hint(format!("that Python needs the packages: pip install sweepdeck {tracker}")))
        }
    }
}
