//! Asking the supervisor of a run, and starting one first where the run has none.

use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use super::error::CliError;
use super::exit_code::Exit;
use crate::model::command::{Command, ControlReply, RefusalKind};
use crate::model::run_info::SupervisorInfo;
use crate::rundir::layout::RunDir;
use crate::rundir::{discover, life};
use crate::socket::control_client;
use crate::supervisor::start;

/// How long an answer may take: the journal is synced before it, and a disk may be busy.
const PATIENCE: Duration = Duration::from_secs(10);

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// Shards whose phase changes.
    pub shards: usize,
    /// What was skipped and why.
    pub notes: Vec<String>,
}

/// Has it done, or says why not.
pub fn ask(run: &RunDir, command: Command) -> Result<Done, CliError> {
    match send(run, command)? {
        ControlReply::Done { shards, notes } => Ok(Done { shards, notes }),
        ControlReply::Refused { kind, message } => Err(CliError::new(exit_of(kind), message)),
    }
}

/// Sends a command and gives the supervisor's own answer.
pub fn send(run: &RunDir, command: Command) -> Result<ControlReply, CliError> {
    let supervisor = supervisor(run)?;
    Ok(control_client::request(&supervisor.socket, command, PATIENCE)?)
}

/// The supervisor to ask; only the owner of a run starts one.
pub fn supervisor(run: &RunDir) -> Result<SupervisorInfo, CliError> {
    if let Some(supervisor) = life::supervisor(run) {
        return Ok(supervisor);
    }
    if is_owner(run)? {
        return Ok(start::ensure(run)?);
    }
    Err(CliError::unreachable(format!(
        "the run {} belongs to another user and has no supervisor",
        run.path().display()
    ))
    .hint("only its owner can act on it; watch it with `evaldeck attach --read-only`"))
}

/// The run belongs to this user.
pub fn is_owner(run: &RunDir) -> Result<bool, CliError> {
    // Reading it first gives the better message where a parent folder is closed.
    discover::info(run)?;
    let path = run.run_json();
    let owner = std::fs::metadata(&path).map_err(CliError::file("read", &path))?.uid();
    Ok(owner == rustix::process::geteuid().as_raw())
}

fn exit_of(kind: RefusalKind) -> Exit {
    match kind {
        RefusalKind::NotPermitted => Exit::Unreachable,
        RefusalKind::UnknownShard => Exit::Absent,
        RefusalKind::Unusable => Exit::Usage,
    }
}
