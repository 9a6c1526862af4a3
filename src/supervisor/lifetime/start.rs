//! Starting a supervisor for a run that has none, from any process of its owner.

use std::ffi::OsStr;
use std::time::{Duration, Instant};

use crate::model::state::run_info::SupervisorInfo;
use crate::model::sweep::plan::Plan;
use crate::process::start::detach;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::{environment, life, proven_state, records, residence, trust};
use crate::supervisor::error::SupervisorError;

/// How long a new supervisor may take to listen: it folds the journal first, and gives the NVIDIA driver ten seconds
/// to wake its cards.
const PATIENCE: Duration = Duration::from_secs(15);

/// How often is looked; the supervisor needs a few milliseconds.
const LOOK: Duration = Duration::from_millis(2);

/// Starts a keeper with its supervisor and does not wait for it; a run whose records are damaged gets none. Both get
/// the environment that the run was started in, so that later shards do not depend on the shell of a later verb.
pub fn launch_supervisor(run: &RunDir) -> Result<(), SupervisorError> {
    residence::refuse_elsewhere(run)?;
    start_keeper(run, &[])
}

/// Starts them for a run that lived elsewhere and belongs here from now on; waits until the supervisor listens.
pub fn take_over(run: &RunDir) -> Result<SupervisorInfo, SupervisorError> {
    start_keeper(run, &["--take-over".as_ref()])?;
    wait_for(run)
}

fn start_keeper(run: &RunDir, more: &[&OsStr]) -> Result<(), SupervisorError> {
    // Refused here, where the user reads the reason, and by the supervisor itself.
    trust::verify_run(run)?;
    proven_state::read_state(run)?;
    records::read_record::<Plan>(&run.plan_json())?;
    let mut arguments = vec!["supervise".as_ref(), run.path().as_os_str()];
    arguments.extend(more);
    // Where none can be found, our own is better than no supervisor.
    let kept = discover::read_info(run).and_then(|info| environment::load_environment(&info.id));
    let log = run.supervisor_log();
    let log = log.open_append().map_err(RunDirError::io("open", &log))?;
    detach::start_self(&arguments, log, kept.unwrap_or_default())?;
    Ok(())
}

/// The living supervisor of the run; starts one when there is none and waits until it listens.
pub fn ensure_supervisor(run: &RunDir) -> Result<SupervisorInfo, SupervisorError> {
    if let Some(info) = life::living_supervisor(run) {
        return Ok(info);
    }
    launch_supervisor(run)?;
    wait_for(run)
}

fn wait_for(run: &RunDir) -> Result<SupervisorInfo, SupervisorError> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if let Some(info) = life::living_supervisor(run) {
            return Ok(info);
        }
        std::thread::sleep(LOOK);
    }
    Err(SupervisorError::NotUp { log: run.supervisor_log().into() })
}
