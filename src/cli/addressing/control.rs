//! Asking the supervisor of a run, and starting one first where the run has none.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::model::command::{Command, ControlReply, RefusalKind};
use crate::model::state::run_state::RunState;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::residence::{self, Residence};
use crate::rundir::{beat, life, lock, proven_state, trust};
use crate::socket::control_client;
use crate::socket::error::SocketError;
use crate::supervisor::lifetime::start;

/// How long an answer may take: the journal is synced before it, and a disk may be busy.
const PATIENCE: Duration = Duration::from_secs(10);

/// How soon another supervisor is asked where one has just died.
const ASK_AGAIN: Duration = Duration::from_millis(20);

/// Outcome of a command: how many shards it changes and what it skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// Shards whose phase changes.
    pub shards: usize,
    /// Shards that were skipped, each with the reason.
    pub notes: Vec<String>,
}

/// Sends the command; a refusal becomes an error with its exit code.
pub fn ask_supervisor(run: &RunDir, command: Command) -> Result<Done, CliError> {
    match send_command(run, command)? {
        ControlReply::Done { shards, notes } => Ok(Done { shards, notes }),
        ControlReply::Refused { kind, message } => Err(CliError::new(exit_of(kind), message)),
    }
}

/// Sends a command and gives the supervisor's own answer.
pub fn send_command(run: &RunDir, command: Command) -> Result<ControlReply, CliError> {
    let standing = check_ownership(run)?;
    if standing == Ownership::Owner {
        // The socket that a foreign hand wrote into the run is not the supervisor's.
        trust::verify_run(run)?;
    }
    let deadline = Instant::now() + PATIENCE;
    loop {
        let socket = find_socket(run, &standing)?;
        match control_client::send_command(&socket, command.clone(), PATIENCE) {
            // Its owner is refused by no supervisor that lives: it is dying, and the next one is asked. A command
            // that was taken all the same does no harm a second time.
            Err(SocketError::Absent { .. } | SocketError::Closed { .. })
                if standing == Ownership::Owner && Instant::now() < deadline =>
            {
                std::thread::sleep(ASK_AGAIN);
            }
            answer => return Ok(answer?),
        }
    }
}

/// The socket of the supervisor to ask; one is started where none lives and this user may.
fn find_socket(run: &RunDir, standing: &Ownership) -> Result<PathBuf, CliError> {
    match (standing, life::listening_socket(run)) {
        (Ownership::Owner | Ownership::Stranger, Some(socket)) => Ok(socket),
        (Ownership::Owner, None) => Ok(start::ensure_supervisor(run)?),
        (Ownership::Stranger, None) => Err(CliError::unreachable(format!(
            "the run {} belongs to another user and has no supervisor",
            run.path().display()
        ))
        .with_hint("only its owner can act on it; watch it with `sweepdeck attach --read-only`")),
        (Ownership::Elsewhere { place }, _) => Err(elsewhere_error(run, place, beat::seems_beating(run))),
        (Ownership::Copy { of }, _) => Err(copy_error(run, of)),
    }
}

/// Moves a run here whose machine or container gives no sign of life.
pub fn take_over(run: &RunDir) -> Result<(), CliError> {
    match check_ownership(run)? {
        Ownership::Owner => Ok(()),
        Ownership::Stranger => {
            Err(CliError::unreachable(format!("the run {} belongs to another user", run.path().display())))
        }
        Ownership::Copy { of } => Err(copy_error(run, &of)),
        Ownership::Elsewhere { place } => {
            output::print_message(&format!(
                "{}; looking for {} s whether it is at work there",
                residence::compare_homes(run)?,
                beat::SILENCE.as_secs()
            ));
            let is_free = !beat::await_beat(run) && lock::try_lock(&run.supervisor_lock())?.is_some();
            if !is_free {
                return Err(elsewhere_error(run, &place, true));
            }
            start::take_over(run)?;
            Ok(())
        }
    }
}

/// The run lives where its processes cannot be seen.
pub fn elsewhere_error(run: &RunDir, place: &str, is_at_work: bool) -> CliError {
    let path = run.path().display();
    if is_at_work {
        return CliError::unreachable(format!(
            "the run {path} is at work on {place}; nothing is started from here"
        ))
        .with_hint("act on it there; from here it can be watched");
    }
    CliError::unreachable(format!(
        "the run {path} lives on {place}, and gives no sign of life; nothing is started from here"
    ))
    .with_hint(format!("act on it there; where that is gone for good: sweepdeck recover --take-over {path}"))
}

/// The folder is a copy.
pub fn copy_error(run: &RunDir, of: &Path) -> CliError {
    RunDirError::Copy { path: run.path().to_owned(), of: of.to_owned() }.into()
}

/// Relation of this process to a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ownership {
    /// The process may act, and has to see to it that the run has a supervisor.
    Owner,
    /// The process runs for another user.
    Stranger,
    /// The process runs on another machine or in another container than the run: a supervisor started here would take
    /// all shards for dead.
    Elsewhere {
        /// Machine or container in which the run lives.
        place: String,
    },
    /// The folder is a copy, in which nothing is executed.
    Copy {
        /// The folder that it was copied from.
        of: PathBuf,
    },
}

/// Returns the relation of this process to the run. After a reboot this takes a while, because another machine of the
/// same name may be at work.
pub fn check_ownership(run: &RunDir) -> Result<Ownership, CliError> {
    let path = run.run_json();
    let owner = path.metadata().map_err(CliError::for_file("read", &path))?.uid();
    if owner != rustix::process::geteuid().as_raw() {
        discover::read_info(run)?;
        return Ok(Ownership::Stranger);
    }
    Ok(match residence::find_residence(run)? {
        Residence::Here => Ownership::Owner,
        Residence::Rebooted if beats_after_reboot(run) => Ownership::Elsewhere {
            place: format!("{} (another machine of that name)", residence::host_name()),
        },
        Residence::Rebooted => Ownership::Owner,
        Residence::Elsewhere { place } => Ownership::Elsewhere { place },
        Residence::Copy { of } => Ownership::Copy { of },
    })
}

fn beats_after_reboot(run: &RunDir) -> bool {
    // A run that had no supervisor yet has none elsewhere, and one that is over needs none.
    let is_over = |state: RunState| state.stage.is_over();
    if !run.supervisor_json().exists() || proven_state::fold_journal(run).is_ok_and(is_over) {
        return false;
    }
    output::print_message(&format!(
        "the machine was started again; looking for {} s for other signs of the run",
        beat::SILENCE.as_secs()
    ));
    beat::await_beat(run)
}

fn exit_of(kind: RefusalKind) -> CliExit {
    match kind {
        RefusalKind::NotPermitted => CliExit::Unreachable,
        RefusalKind::UnknownShard => CliExit::Absent,
        RefusalKind::Unusable => CliExit::Usage,
    }
}
