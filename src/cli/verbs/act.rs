//! The verbs that change a run: a command to the supervisor each.

use jiff::Zoned;

use super::act_args::{GpuList, PriorityArgs, RequeueArgs, SetArgs};
use crate::cli::addressing::control::{self, Done};
use crate::cli::addressing::target;
use crate::cli::addressing::target_args::{OneRun, SomeShards};
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::verbs::act_args::StopArgs;
use crate::config::edit::{self, ShardEditError};
use crate::model::command::{Command, Selection};
use crate::model::hours::wall_time::format_moment;
use crate::model::logs::printable::to_printable;
use crate::model::priority::Priority;
use crate::rundir::plans;

/// Sends a command about some shards and prints how many it changed.
pub fn on_shards(
    args: &SomeShards,
    command: impl FnOnce(Selection) -> Command,
    deed: &str,
) -> Result<CliExit, CliError> {
    let (run, selection) = target::find_shards(args)?;
    let done = control::ask_supervisor(&run, command(selection))?;
    let shards = if done.shards == 1 { "shard" } else { "shards" };
    print_done(&done, &format!("{} {shards} {deed}", done.shards));
    Ok(CliExit::Done)
}

/// `requeue`: ended shards run once more; one of them also with other values than the sweep gives it.
pub fn requeue(args: &RequeueArgs) -> Result<CliExit, CliError> {
    if args.set.is_empty() && args.env.is_empty() {
        return on_shards(&args.shards, |shards| Command::Requeue { shards }, "queued");
    }
    let (run, selection) = target::find_shards(&args.shards)?;
    let Selection::These(ids) = selection else { return Err(one_at_a_time()) };
    let [id] = &ids[..] else { return Err(one_at_a_time()) };
    let plan = plans::read_plan(&run)?;
    let shard = plan.shards.iter().find(|shard| shard.id == *id);
    let shard = shard.ok_or_else(|| CliError::not_found(format!("there is no shard `{id}`")))?;
    let edit = edit::build_edit(&plan, shard, &args.set, &args.env).map_err(edit_error)?;
    edit::validate_edit(&plan, shard, &edit).map_err(edit_error)?;
    for line in edit::values_outside_matrix(&plan, &edit) {
        output::print_message(&format!("note: {line}"));
    }
    let (lines, command) = (edit.to_lines(), edit::preview_command(&plan, shard, &edit));
    let done = control::ask_supervisor(&run, Command::RequeueEdited { shard: id.clone(), edit })?;
    print_done(&done, &format!("{id} is queued, edited: {}", lines.join(", ")));
    output::print_message(&format!("  it runs: {}", to_printable(&command)));
    Ok(CliExit::Done)
}

/// `restart`: services are started again.
pub fn restart(args: &SomeShards) -> Result<CliExit, CliError> {
    let (run, services) = target::find_shards(args)?;
    let done = control::ask_supervisor(&run, Command::Restart { services })?;
    let services = if done.shards == 1 { "service" } else { "services" };
    print_done(&done, &format!("{} {services} being started again", done.shards));
    Ok(CliExit::Done)
}

fn edit_error(error: ShardEditError) -> CliError {
    CliError::usage(error.to_string())
}

fn one_at_a_time() -> CliError {
    CliError::usage("--set and --env change one shard").with_hint("name exactly one")
}

/// `priority`: queued shards start before or after the others.
pub fn set_priority(args: &PriorityArgs) -> Result<CliExit, CliError> {
    let priority = Priority(args.set);
    on_shards(
        &args.shards,
        |shards| Command::SetPriority { shards, priority },
        &format!("wait with priority {priority}"),
    )
}

/// `set`: how many shards run side by side, how much VRAM is left free, which GPUs are used, and when it starts.
pub fn set(args: &SetArgs) -> Result<CliExit, CliError> {
    let run = target::find_run(&args.run)?;
    if let Some(parallel) = args.parallel {
        let done = control::ask_supervisor(&run, Command::SetParallel { parallel })?;
        print_done(&done, &format!("the parallel limit is {parallel}"));
    }
    if let Some(vram) = args.reserve_vram {
        let done = control::ask_supervisor(&run, Command::SetReserve { vram })?;
        print_done(&done, &format!("{vram} of VRAM are left free on every GPU"));
    }
    if let Some(GpuList(devices)) = &args.gpus {
        let done = control::ask_supervisor(&run, Command::SetGpus { devices: devices.clone() })?;
        let which =
            if devices.is_empty() { "all GPUs".to_owned() } else { format!("GPUs {}", devices.join(", ")) };
        print_done(&done, &format!("new shards get {which}"));
    }
    if let Some(at) = args.at {
        let done = control::ask_supervisor(&run, Command::StartAt { at })?;
        let now = Zoned::now();
        print_done(
            &done,
            &format!("nothing starts before {}", format_moment(at, now.timestamp(), now.time_zone())),
        );
    }
    Ok(CliExit::Done)
}

/// `start`: a run that waits for its time starts now.
pub fn start_now(args: &OneRun) -> Result<CliExit, CliError> {
    let done = control::ask_supervisor(&target::find_run(args)?, Command::StartNow)?;
    print_done(&done, "shards start as there is room");
    Ok(CliExit::Done)
}

/// `stop`: nothing new is started; with `--now` everything is ended.
pub fn stop(args: &StopArgs) -> Result<CliExit, CliError> {
    let run = target::find_run(&args.run)?;
    let done = control::ask_supervisor(&run, Command::Stop { now: args.now })?;
    let sentence = if args.now {
        "everything is being stopped"
    } else {
        "nothing new is started; running shards go on to their end"
    };
    print_done(&done, sentence);
    Ok(CliExit::Done)
}

/// Says what was done, and what has to be known of it.
pub(in crate::cli) fn print_done(done: &Done, sentence: &str) {
    output::print_message(sentence);
    for note in &done.notes {
        output::print_message(&format!("  {note}"));
    }
}
