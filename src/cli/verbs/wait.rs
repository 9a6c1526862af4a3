//! `wait`: blocks until a run ends; its owner keeps a supervisor at work meanwhile.

use std::time::{Duration, Instant};

use crate::cli::addressing::control::{self, Ownership};
use crate::cli::addressing::target;
use crate::cli::addressing::target_args::OneRun;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::overview::watch::{JournalWatch, block_on, complain_of_missing_results, exit_of};
use crate::rundir::beat::BeatWatch;
use crate::rundir::layout::RunDir;
use crate::rundir::{life, proven_state, trust};
use crate::supervisor::lifetime::start;

/// How often is looked whether a supervisor lives; its keeper and the holders start one sooner.
pub const LOOK_AFTER: Duration = Duration::from_secs(2);

/// Number of supervisors started in vain before a person has to look.
const PATIENCE: u32 = 10;

/// Waits until the run has ended.
pub fn run(args: &OneRun) -> Result<CliExit, CliError> {
    let run = target::find_run(args)?;
    let standing = control::check_ownership(&run)?;
    if standing == Ownership::Owner {
        trust::verify_run(&run)?;
    }
    proven_state::read_state(&run)?;
    block_on(until_ended(&run, &standing))
}

async fn until_ended(run: &RunDir, standing: &Ownership) -> Result<CliExit, CliError> {
    let mut watch = JournalWatch::open(run);
    let mut keeping = Keeping::default();
    let mut beating = BeatWatch::new(run, Instant::now());
    let mut look = tokio::time::interval(LOOK_AFTER);
    loop {
        watch.catch_up()?;
        if watch.has_ended() {
            complain_of_missing_results(run, watch.state());
            return Ok(exit_of(watch.state()));
        }
        tokio::select! {
            () = watch.wait_for_growth() => {}
            // The first tick is due at once.
            _ = look.tick() => match standing {
                Ownership::Owner => keeping.check_supervisor(run)?,
                Ownership::Stranger => {}
                Ownership::Elsewhere { place } => if !beating.is_beating(Instant::now()) {
                    return Err(control::elsewhere_error(run, place, false));
                },
                Ownership::Copy { of } => return Err(control::copy_error(run, of)),
            },
        }
    }
}

/// Sees to it that a run has a supervisor.
#[derive(Debug, Default)]
pub struct Keeping {
    /// Looks in a row that found none.
    missed: u32,
}

impl Keeping {
    /// Starts a supervisor where none lives, without waiting for it.
    pub fn check_supervisor(&mut self, run: &RunDir) -> Result<(), CliError> {
        if life::living_supervisor(run).is_some() {
            self.missed = 0;
            return Ok(());
        }
        if self.missed == PATIENCE {
            let log = run.supervisor_log();
            return Err(CliError::unreachable(format!(
                "the supervisor does not come up; see {}",
                log.display()
            )));
        }
        self.missed += 1;
        Ok(start::launch_supervisor(run)?)
    }
}
