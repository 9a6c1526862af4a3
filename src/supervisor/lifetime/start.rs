//! Starting a supervisor for a run that has none, from any process of its owner.

use std::ffi::OsStr;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::process::log;
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
pub fn take_over(run: &RunDir) -> Result<(), SupervisorError> {
    let keeper = start_keeper(run, &["--take-over".as_ref()])?;
    wait_for(run, Some(keeper)).map(drop)
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
    let mut kept = kept.unwrap_or_default();
    if let Some(kept) = &mut kept {
        // What is logged can be changed without another run.
        kept.extend(std::env::var_os(log::VARIABLE).map(|asked| (log::VARIABLE.into(), asked)));
    }
    let path = run.supervisor_log();
    let file = path.open_append().map_err(RunDirError::io("open", &path))?;
    Ok(detach::start_self(&arguments, file, kept)?)
}

/// The socket of the run's living supervisor; starts one when there is none and waits until it listens.
pub fn ensure_supervisor(run: &RunDir) -> Result<PathBuf, SupervisorError> {
    if let Some(socket) = life::listening_socket(run) {
        return Ok(socket);
    }
    let keeper = if life::living_supervisor(run).is_some() { None } else { Some(launch_keeper(run)?) };
    wait_for(run, keeper)
}

/// Waits until a supervisor listens. Where none lives and the keeper has ended, it found what is lasting, or another
/// supervisor that has just begun.
fn wait_for(run: &RunDir, keeper: Option<u32>) -> Result<PathBuf, SupervisorError> {
    let works = |pid| stat::read_stat(pid).is_some_and(|keeper| keeper.state != ProcessState::Dead);
    let patience = Instant::now() + PATIENCE;
    let mut deadline = patience;
    while Instant::now() < deadline {
        if let Some(socket) = life::listening_socket(run) {
            return Ok(socket);
        }
        let is_coming = keeper.is_some_and(works) || life::living_supervisor(run).is_some();
        deadline = give_up_at(patience, deadline, is_coming, Instant::now());
        std::thread::sleep(LOOK);
    }
    Err(SupervisorError::NotUp { why: last_trouble(run), log: run.supervisor_log().into() })
}

/// Decides how long to wait on: where no supervisor is coming any more, only for one that has begun beside.
fn give_up_at(patience: Instant, before: Instant, is_coming: bool, now: Instant) -> Instant {
    if is_coming { patience } else { before.min(now + PATIENCE_WITH_ANOTHER) }
}

/// The newest trouble in `supervisor.log`, after a colon; nothing where there is none.
fn last_trouble(run: &RunDir) -> String {
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
    text.lines()
        .rev()
        .find_map(log::trouble_of_line)
        .map(|trouble| format!(": {trouble}"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lasting_is_not_waited_for() {
        let begin = Instant::now();
        let patience = begin + PATIENCE;
        let at = |seconds| begin + Duration::from_secs(seconds);
        let ended = give_up_at(patience, patience, false, at(2));
        assert_eq!(ended, at(2) + PATIENCE_WITH_ANOTHER);
        assert_eq!(give_up_at(patience, ended, false, at(3)), ended, "looking again gives no more time");
        assert_eq!(give_up_at(patience, ended, true, at(3)), patience, "another one has begun");
        assert_eq!(give_up_at(patience, patience, false, at(15)), patience);
    }
}
