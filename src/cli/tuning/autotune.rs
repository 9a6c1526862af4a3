//! `autotune`: measures a shard of a sweep on this machine and prints what to write into the sweep.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use jiff::Timestamp;
use serde_json::json;

use super::trial_runs::TrialRuns;
use crate::autotune::advice::{self, Advice};
use crate::autotune::conduct::{self, TuningRequest, TuningResult};
use crate::autotune::facts::Facts;
use crate::autotune::machine::MachineResources;
use crate::autotune::trial::Company;
use crate::autotune::{sweep_edit, text};
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::start::sweep::Sweep;
use crate::cli::start::{launch, resolve_parallel};
use crate::cli::tuning::autotune_args::AutotuneArgs;
use crate::model::sweep::plan::Plan;
use crate::rundir::machine_wide::tunings;
use crate::rundir::residence;

/// Tries, prints and, where asked, writes.
pub fn run(args: &AutotuneArgs) -> Result<CliExit, CliError> {
    let mut sweep = Sweep::open(&args.sweep)?;
    let shard = find_position(&sweep.plan, args.shard.as_deref())?;
    if let Some(path) = args.write.as_deref().filter(|path| path.exists()) {
        // Before an hour is spent on trials.
        return Err(CliError::usage(format!("{} is there already", path.display()))
            .with_hint("name a file that does not exist: the sweep itself is never changed"));
    }
    resolve_parallel::resolve_parallel(&mut sweep)?;
    let mut trials = TrialRuns::new(&sweep)?;
    let (report, gpus) = launch::look_at_machine(&sweep.plan, &trials.folder().join("trial"));
    launch::refuse_or_warn(&report, launch::NOT_HERE)?;
    warn_of_output(&sweep.plan);
    let machine = MachineResources::with_gpus(&gpus.chosen_gpus(&sweep.plan), &gpus.readings);
    let wish = TuningRequest { shard, limit: args.limit, most: args.scale.then_some(args.most) };
    let found = conduct::run_trials(&mut trials, &sweep.plan, &machine, wish, &mut output::print_message)?;
    let mujoco_gl = mujoco_gl(&sweep.plan);
    let facts = Facts {
        plan: &sweep.plan,
        shard: found.shard,
        machine: &machine,
        trials: &found.trials,
        batches: found.batches.as_ref(),
        stopped: found.stopped.as_deref(),
        mujoco_gl: mujoco_gl.as_deref(),
    };
    let advice = advice::advise_settings(&facts);
    if let Some(advice) = &advice {
        save_tuning(&facts, advice);
    }
    print_report(args, &machine, &found, advice.as_ref())?;
    if let (Some(path), Some(advice)) = (&args.write, &advice) {
        write(path, &sweep, advice)?;
    }
    if args.keep || advice.is_none() {
        trials.keep_folder();
        output::print_message(&format!("the trials are in {}", trials.folder().display()));
    }
    Ok(if advice.is_some() { CliExit::Done } else { CliExit::NotAllSucceeded })
}

fn find_position(plan: &Plan, shard: Option<&str>) -> Result<usize, CliError> {
    let Some(name) = shard else { return Ok(0) };
    plan.shards.iter().position(|shard| shard.id.as_str() == name).ok_or_else(|| {
        CliError::not_found(format!("the sweep has no shard `{name}`"))
            .with_hint("`sweepdeck check SWEEP` lists them")
    })
}

/// Trials run the real command, which writes where it writes.
fn warn_of_output(plan: &Plan) {
    match Company::for_plan(plan) {
        Company::Copies => {}
        Company::Others => output::print_message(
            "warning: the command does not name {{ out }}: trials write to the same places as the sweep itself",
        ),
    }
}

/// Returns the value that a shard sees: the sweep's own, or that of this shell.
fn mujoco_gl(plan: &Plan) -> Option<String> {
    plan.template.env.get("MUJOCO_GL").cloned().or_else(|| std::env::var("MUJOCO_GL").ok())
}

/// For `parallel = "auto"` in later runs of this sweep.
fn save_tuning(facts: &Facts<'_>, advice: &Advice) {
    let tuning = advice.to_tuning(facts, residence::host_name(), Timestamp::now());
    if let Err(error) = tunings::save_tuning(&facts.plan.name, &tuning) {
        output::print_message(&format!("`parallel = \"auto\"` will not know of this: {error}"));
    }
}

fn print_report(
    args: &AutotuneArgs,
    machine: &MachineResources,
    found: &TuningResult,
    advice: Option<&Advice>,
) -> Result<(), CliError> {
    if !args.json {
        return output::print_text(&text::format_report(machine, found, advice));
    }
    output::print_json(&json!({ "version": 1, "machine": machine, "found": found, "advice": advice }))
}

/// A copy with what is advised; nothing is overwritten.
fn write(path: &Path, sweep: &Sweep, advice: &Advice) -> Result<(), CliError> {
    let text = sweep_edit::apply_settings(&sweep.source, &advice.settings)
        .map_err(|error| CliError::usage(format!("{} is not written: {error}", path.display())))?;
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(CliError::for_file("write", path))?;
    output::print_message(&format!("written to {}", path.display()));
    Ok(())
}
