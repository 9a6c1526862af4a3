//! Starting a supervisor for a run that has none, from any process of its owner.

use std::ffi::OsStr;
use std::io::{self, Read, Seek, SeekFrom};
use std::time::{Duration, Instant};

use crate::model::state::run_info::SupervisorInfo;
use crate::process::start::detach;
use crate::process::stat::{self, ProcessState};
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::{environment, life, plans, proven_state, residence, trust};
use crate::supervisor::error::SupervisorError;

/// How long a new supervisor may take to listen: it folds the journal first, and gives the NVIDIA driver ten seconds
/// to wake its cards.
const PATIENCE: Duration = Duration::from_secs(15);

/// How long another supervisor may take that has begun before.
const PATIENCE_WITH_ANOTHER: Duration = Duration::from_secs(1);

/// How often is looked; the supervisor needs a few milliseconds.
const LOOK: Duration = Duration::from_millis(2);

/// Starts a keeper with its supervisor and does not wait for it; a run whose records are damaged gets none. Both get
/// the environment that the run was started in, so that later shards do not depend on the shell of a later verb.
pub fn launch_supervisor(run: &RunDir) -> Result<(), SupervisorError> {
    launch_keeper(run).map(drop)
}

/// The same, and gives the pid of the keeper.
pub(super) fn launch_keeper(run: &RunDir) -> Result<u32, SupervisorError> {
    residence::refuse_elsewhere(run)?;
    start_keeper(run, &[])
}

/// Starts them for a run that lived elsewhere and belongs here from now on; waits until the supervisor listens.
pub fn take_over(run: &RunDir) -> Result<SupervisorInfo, SupervisorError> {
    let keeper = start_keeper(run, &["--take-over".as_ref()])?;
    wait_for(run, keeper)
}

/// Starts a keeper and gives its pid.
fn start_keeper(run: &RunDir, more: &[&OsStr]) -> Result<u32, SupervisorError> {
    // Refused here, where the user reads the reason, and by the supervisor itself.
    trust::verify_run(run)?;
    proven_state::read_state(run)?;
    plans::read_first_plan(run)?;
    let mut arguments = vec!["supervise".as_ref(), run.path().as_os_str()];
    arguments.extend(more);
    // Where none can be found, our own is better than no supervisor.
    let kept = discover::read_info(run).and_then(|info| environment::load_environment(&info.id));
    let log = run.supervisor_log();
    let log = log.open_append().map_err(RunDirError::io("open", &log))?;
    Ok(detach::start_self(&arguments, log, kept.unwrap_or_default())?)
}

/// The living supervisor of the run; starts one when there is none and waits until it listens.
pub fn ensure_supervisor(run: &RunDir) -> Result<SupervisorInfo, SupervisorError> {
    if let Some(info) = life::living_supervisor(run) {
        return Ok(info);
    }
    let keeper = launch_keeper(run)?;
    wait_for(run, keeper)
}

/// Waits until a supervisor listens. A keeper that has ended found what is lasting, or another supervisor that is about
/// to listen.
fn wait_for(run: &RunDir, keeper: u32) -> Result<SupervisorInfo, SupervisorError> {
    let mut deadline = Instant::now() + PATIENCE;
    let mut has_ended = false;
    while Instant::now() < deadline {
        if !has_ended && stat::read_stat(keeper).is_none_or(|keeper| keeper.state == ProcessState::Dead) {
            has_ended = true;
            deadline = deadline.min(Instant::now() + PATIENCE_WITH_ANOTHER);
        }
        if let Some(info) = life::living_supervisor(run) {
            return Ok(info);
        }
        std::thread::sleep(LOOK);
    }
    Err(SupervisorError::NotUp { why: last_line(run), log: run.supervisor_log().into() })
}

/// The newest line of `supervisor.log`, after a colon; nothing where there is none.
fn last_line(run: &RunDir) -> String {
    // A line of the log is short, and its file may have grown for months.
    const ENOUGH: u64 = 4096;
    let read = || -> io::Result<Vec<u8>> {
        let file = run.supervisor_log().open()?;
        let start = file.metadata()?.len().saturating_sub(ENOUGH);
        let mut end = Vec::new();
        (&file).seek(SeekFrom::Start(start))?;
        file.take(ENOUGH).read_to_end(&mut end)?;
        Ok(end)
    };
    let text = String::from_utf8_lossy(&read().unwrap_or_default()).into_owned();
    let line = text.lines().last().and_then(|line| line.split_once(' ')).map(|(_time, text)| text);
    line.map(|line| format!(": {line}")).unwrap_or_default()
}
