//! Asking the supervisor of a run, and starting one first where the run has none.

use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use super::error::CliError;
use super::exit_code::Exit;
use crate::model::command::{Command, ControlReply, RefusalKind};
use crate::model::run_info::SupervisorInfo;
use crate::rundir::layout::RunDir;
use crate::rundir::{discover, life};
use crate::socket::control_client;
use crate::socket::error::SocketError;
use crate::supervisor::start;

/// How long an answer may take: the journal is synced before it, and a disk may be busy.
const PATIENCE: Duration = Duration::from_secs(10);

/// How soon another supervisor is asked where one has just died.
const ASK_AGAIN: Duration = Duration::from_millis(20);

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
    let is_owner = standing(run)? == Standing::Owner;
    let deadline = Instant::now() + PATIENCE;
    loop {
        let supervisor = supervisor(run)?;
        match control_client::request(&supervisor.socket, command.clone(), PATIENCE) {
            // Its owner is refused by no supervisor that lives: it is dying, and the next one is asked. A command
            // that was taken all the same does no harm a second time.
            Err(SocketError::Absent { .. } | SocketError::Closed { .. })
                if is_owner && Instant::now() < deadline =>
            {
                std::thread::sleep(ASK_AGAIN);
            }
            answer => return Ok(answer?),
        }
    }
}

/// The supervisor to ask; one is started where none lives and this user may.
pub fn supervisor(run: &RunDir) -> Result<SupervisorInfo, CliError> {
    if let Some(supervisor) = life::supervisor(run) {
        return Ok(supervisor);
    }
    let path = run.path().display();
    match standing(run)? {
        Standing::Owner => Ok(start::ensure(run)?),
        Standing::Stranger => Err(CliError::unreachable(format!(
            "the run {path} belongs to another user and has no supervisor"
        ))
        .hint("only its owner can act on it; watch it with `sweepdeck attach --read-only`")),
        Standing::Elsewhere { host } => Err(CliError::unreachable(format!(
            "the run {path} was started on {host}, and nothing here can tell whether it still runs there"
        ))
        .hint(format!("act on it from {host}; from here it can be watched"))),
    }
}

/// What this process is to a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It may act, and has to see to it that the run has a supervisor.
    Owner,
    /// It runs for another user.
    Stranger,
    /// It runs on another machine than the run: a supervisor started here would take all shards for dead.
    Elsewhere {
        /// The run's machine.
        host: String,
    },
}

/// What this process is to the run.
pub fn standing(run: &RunDir) -> Result<Standing, CliError> {
    let info = discover::info(run)?;
    let path = run.run_json();
    let owner = std::fs::metadata(&path).map_err(CliError::file("read", &path))?.uid();
    Ok(if owner != rustix::process::geteuid().as_raw() {
        Standing::Stranger
    } else if info.host != host() {
        Standing::Elsewhere { host: info.host }
    } else {
        Standing::Owner
    })
}

/// The name of this machine.
pub fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

fn exit_of(kind: RefusalKind) -> Exit {
    match kind {
        RefusalKind::NotPermitted => Exit::Unreachable,
        RefusalKind::UnknownShard => Exit::Absent,
        RefusalKind::Unusable => Exit::Usage,
    }
}
