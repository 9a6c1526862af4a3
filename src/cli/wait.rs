//! `wait`: blocks until a run ends; its owner keeps a supervisor at work meanwhile.

use std::time::Duration;

use super::args::OneRun;
use super::error::CliError;
use super::exit_code::Exit;
use super::watch::{Watch, block_on, exit_of};
use super::{control, target};
use crate::rundir::layout::RunDir;
use crate::rundir::life;
use crate::supervisor::start;

/// How often is looked whether a supervisor lives; its keeper and the holders start one sooner.
pub const LOOK_AFTER: Duration = Duration::from_secs(2);

/// Waits.
pub fn run(args: &OneRun) -> Result<Exit, CliError> {
    let run = target::run(args)?;
    let is_owner = control::is_owner(&run)?;
    block_on(until_ended(&run, is_owner))
}

async fn until_ended(run: &RunDir, is_owner: bool) -> Result<Exit, CliError> {
    let mut watch = Watch::open(run)?;
    let mut look = tokio::time::interval(LOOK_AFTER);
    loop {
        watch.catch_up()?;
        if watch.has_ended() {
            return Ok(exit_of(watch.state()));
        }
        tokio::select! {
            () = watch.grown() => {}
            // The first tick is due at once.
            _ = look.tick() => if is_owner { supervise_if_none(run)? },
        }
    }
}

/// Starts a supervisor where none lives, without waiting for it.
pub fn supervise_if_none(run: &RunDir) -> Result<(), CliError> {
    if life::supervisor(run).is_none() {
        start::launch(run)?;
    }
    Ok(())
}
