//! `run`: starts a sweep and stays with it as long as the user likes.

use jiff::Zoned;

use super::start::launch::{self, Stay};
use super::start::sweep::Sweep;
use super::start::{launcher, resolve_parallel};
use crate::cli::browsing::browse;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::start::start_args::RunArgs;
use crate::config::matrix::only;
use crate::model::hours::wall_time::format_moment;
use crate::model::state::closing::Closing;
use crate::model::state::fact::Event;
use crate::model::sweep::plan::{Parallel, Plan};
use crate::results::rerun;
use crate::rundir::machine_wide::discover;
use crate::rundir::{plans, proven_state};

/// Starts the sweep and stays as the flags ask.
pub fn run(args: &RunArgs) -> Result<CliExit, CliError> {
    let mut sweep = Sweep::open(&launcher::named_or_only(args.sweep.as_deref())?)?;
    if let Some(parallel) = args.parallel {
        sweep.plan.schedule.parallel = parallel;
    }
    if let Some(gpus) = &args.gpus {
        sweep.plan.resources.devices.clone_from(&gpus.0);
    }
    let fitted = resolve_parallel::resolve_parallel(&mut sweep)?;
    if let Some(expression) = &args.only {
        only::keep_matching(&mut sweep.plan, expression)
            .map_err(|error| CliError::usage(format!("--only: {error}")))?;
        if let Some(expansion) = &mut sweep.plan.expansion {
            // It holds for what is added later as well.
            expansion.only = Some(expression.clone());
        }
    }
    if let Some(earlier) = &args.rerun {
        drop_what_is_done(&mut sweep.plan, earlier)?;
    }
    let is_watched = |plan: &Plan| plan.expansion.as_ref().is_some_and(|from| !from.watches.is_empty());
    if sweep.plan.shards.is_empty() && !is_watched(&sweep.plan) {
        output::print_message("every shard has succeeded already; nothing is started");
        return Ok(CliExit::Done);
    }
    if let (Some(because), Parallel::Fixed(count)) = (fitted.parallel, sweep.plan.schedule.parallel) {
        output::print_message(&format!("{count} side by side: {because}"));
    }
    let starts = args.at.map(|at| Event::StartsClosed { opens: at, because: Closing::StartTime, by: None });
    let run = launch::create_with(&sweep, args.new_run.out.as_deref(), starts.into_iter().collect())?;
    if let Some(at) = args.at {
        let now = Zoned::now();
        let moment = format_moment(at, now.timestamp(), now.time_zone());
        output::print_message(&format!(
            "it starts at {moment}; `sweepdeck start` starts it now, `sweepdeck stop` ends it"
        ));
    }
    let stay = Stay::from_flags(args.detach, args.new_run.headless, &args.screen);
    let seen = launch::start_run(&run, &sweep.plan, stay, &args.screen)?;
    browse::continue_after(seen, false, &args.screen)
}

/// Leaves out what succeeded in an earlier run and reports it.
fn drop_what_is_done(plan: &mut Plan, earlier: &str) -> Result<(), CliError> {
    let run = discover::find_run(earlier)?;
    let before = plans::read_plan(&run)?;
    let done = rerun::done_before(plan, &before, &proven_state::read_state(&run)?);
    plan.shards.retain(|shard| !done.contains(&shard.id));
    let kept: Vec<&str> = done.iter().map(|id| id.as_str()).collect();
    output::print_message(&format!(
        "{} of {} shards succeeded in {} and are kept there{}{}",
        done.len(),
        done.len() + plan.shards.len(),
        run.path().display(),
        if kept.is_empty() { "" } else { ": " },
        kept.join(", ")
    ));
    Ok(())
}
