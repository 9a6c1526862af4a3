//! The verbs that change a run: a command to the supervisor each.

use jiff::Zoned;

use super::act_args::{GpuList, PriorityArgs, RequeueArgs, SetArgs};
use crate::cli::addressing::control::{self, Done};
use crate::cli::addressing::target;
use crate::cli::addressing::target_args::{OneRun, SomeShards};
use crate::cli::args::{RecoverArgs, StopArgs};
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::config::edit::{self, ShardEditError};
use crate::model::command::{Command, Selection};
use crate::model::hours::wall_time::format_moment;
use crate::model::logs::printable::to_printable;
use crate::model::priority::Priority;
use crate::rundir::plans;

/// Sends a command about some shards and says how many it hit.
pub fn on_shards(
    args: &SomeShards,
    command: impl FnOnce(Selection) -> Command,
    deed: &str,
) -> Result<CliExit, CliError> {
    let (run, selection) = target::shards(args)?;
    let done = control::ask(&run, command(selection))?;
    let shards = if done.shards == 1 { "shard" } else { "shards" };
    tell(&done, &format!("{} {shards} {deed}", done.shards));
    Ok(CliExit::Done)
}

/// `requeue`: ended shards run once more; one of them also with other values than the sweep gives it.
pub fn requeue(args: &RequeueArgs) -> Result<CliExit, CliError> {
    if args.set.is_empty() && args.env.is_empty() {
        return on_shards(&args.shards, |shards| Command::Requeue { shards }, "queued");
    }
    let (run, selection) = target::shards(&args.shards)?;
    let Selection::These(ids) = selection else { return Err(one_at_a_time()) };
    let [id] = &ids[..] else { return Err(one_at_a_time()) };
    let plan = plans::read(&run)?;
    let shard = plan.shards.iter().find(|shard| shard.id == *id);
    let shard = shard.ok_or_else(|| CliError::absent(format!("there is no shard `{id}`")))?;
    let edit = edit::build_edit(&plan, shard, &args.set, &args.env).map_err(unusable)?;
    edit::validate_edit(&plan, shard, &edit).map_err(unusable)?;
    let (lines, command) = (edit.to_lines(), edit::preview_command(&plan, shard, &edit));
    let done = control::ask(&run, Command::RequeueEdited { shard: id.clone(), edit })?;
    tell(&done, &format!("{id} is queued, edited: {}", lines.join(", ")));
    output::say(&format!("  it runs: {}", to_printable(&command)));
    Ok(CliExit::Done)
}

/// `restart`: services are started again.
pub fn restart(args: &SomeShards) -> Result<CliExit, CliError> {
    let (run, services) = target::shards(args)?;
    let done = control::ask(&run, Command::Restart { services })?;
    let services = if done.shards == 1 { "service" } else { "services" };
    tell(&done, &format!("{} {services} being started again", done.shards));
    Ok(CliExit::Done)
}

fn unusable(error: ShardEditError) -> CliError {
    CliError::usage(error.to_string())
}

fn one_at_a_time() -> CliError {
    CliError::usage("--set and --env change one shard").hint("name exactly one")
}

/// `priority`: queued shards start before or behind the others.
pub fn priority(args: &PriorityArgs) -> Result<CliExit, CliError> {
    let priority = Priority(args.set);
    on_shards(
        &args.shards,
        |shards| Command::SetPriority { shards, priority },
        &format!("wait with priority {priority}"),
    )
}

/// `set`: how many shards run side by side, how much VRAM is left free, which GPUs are used, and when it starts.
pub fn set(args: &SetArgs) -> Result<CliExit, CliError> {
    let run = target::run(&args.run)?;
    if let Some(parallel) = args.parallel {
        let done = control::ask(&run, Command::SetParallel { parallel })?;
        tell(&done, &format!("the parallel limit is {parallel}"));
    }
    if let Some(vram) = args.reserve_vram {
        let done = control::ask(&run, Command::SetReserve { vram })?;
        tell(&done, &format!("{vram} of VRAM are left free on every GPU"));
    }
    if let Some(GpuList(devices)) = &args.gpus {
        let done = control::ask(&run, Command::SetGpus { devices: devices.clone() })?;
        let which =
            if devices.is_empty() { "all GPUs".to_owned() } else { format!("GPUs {}", devices.join(", ")) };
        tell(&done, &format!("new shards get {which}"));
    }
    if let Some(at) = args.at {
        let done = control::ask(&run, Command::StartAt { at })?;
        let now = Zoned::now();
        tell(
            &done,
            &format!("nothing starts before {}", format_moment(at, now.timestamp(), now.time_zone())),
        );
    }
    Ok(CliExit::Done)
}

/// `start`: a run that waits for its time starts now.
pub fn start(args: &OneRun) -> Result<CliExit, CliError> {
    let done = control::ask(&target::run(args)?, Command::StartNow)?;
    tell(&done, "shards start as there is room");
    Ok(CliExit::Done)
}

/// `stop`: nothing new is started; with `--now` everything is ended.
pub fn stop(args: &StopArgs) -> Result<CliExit, CliError> {
    let run = target::run(&args.run)?;
    let done = control::ask(&run, Command::Stop { now: args.now })?;
    let sentence = if args.now {
        "everything is being stopped"
    } else {
        "nothing new is started; running shards go on to their end"
    };
    tell(&done, sentence);
    Ok(CliExit::Done)
}

/// `recover`: a stopped or orphaned run goes on.
pub fn recover(args: &RecoverArgs) -> Result<CliExit, CliError> {
    let run = target::run(&args.run)?;
    if args.take_over {
        control::take_over(&run)?;
    }
    let done = control::ask(&run, Command::Continue)?;
    tell(&done, &format!("the run goes on in {}", run.path().display()));
    Ok(CliExit::Done)
}

/// Says what was done, and what has to be known of it.
pub(in crate::cli) fn tell(done: &Done, sentence: &str) {
    output::say(sentence);
    for note in &done.notes {
        output::say(&format!("  {note}"));
    }
}
