//! `pause`, `resume`, `kill`, `requeue`, `stop` and `recover`: one command to the supervisor each.

use super::args::{OneRun, SomeShards, StopArgs};
use super::control::{self, Done};
use super::error::CliError;
use super::exit_code::Exit;
use super::{output, target};
use crate::model::command::{Command, Selection};

/// Sends a command about some shards and says how many it hit.
pub fn on_shards(
    args: &SomeShards,
    command: fn(Selection) -> Command,
    deed: &'static str,
) -> Result<Exit, CliError> {
    let (run, selection) = target::shards(args)?;
    let done = control::ask(&run, command(selection))?;
    let shards = if done.shards == 1 { "shard" } else { "shards" };
    tell(&done, &format!("{} {shards} {deed}", done.shards));
    Ok(Exit::Done)
}

/// `stop`: nothing new is started; with `--now` everything is ended.
pub fn stop(args: &StopArgs) -> Result<Exit, CliError> {
    let run = target::run(&args.run)?;
    let done = control::ask(&run, Command::Stop { now: args.now })?;
    let sentence = if args.now {
        "everything is being stopped"
    } else {
        "nothing new is started; running shards go on to their end"
    };
    tell(&done, sentence);
    Ok(Exit::Done)
}

/// `recover`: a stopped or orphaned run goes on.
pub fn recover(args: &OneRun) -> Result<Exit, CliError> {
    let run = target::run(args)?;
    let done = control::ask(&run, Command::Continue)?;
    tell(&done, &format!("the run goes on in {}", run.path().display()));
    Ok(Exit::Done)
}

fn tell(done: &Done, sentence: &str) {
    output::say(sentence);
    for note in &done.notes {
        output::say(&format!("  {note}"));
    }
}
