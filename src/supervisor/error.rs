//! Errors of the supervisor, reported in `supervisor.log` or to the process that waits for its start.

use std::io;
use std::path::PathBuf;

use crate::config::templates::render::RenderError;
use crate::engine::error::EngineError;
use crate::model::ids::ShardId;
use crate::process::error::ProcessError;
use crate::progress::patterns::error::PatternError;
use crate::rundir::error::RunDirError;
use crate::socket::error::SocketError;

/// An error of the supervisor.
#[derive(Debug, thiserror::Error)]
pub enum SupervisorError {
    /// About the files of the run.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
    /// An error with the supervisor's sockets.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// An error with reading or starting processes.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// About the place where attempts run.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A pattern of the plan does not compile.
    #[error("a pattern of the sweep cannot be used: {0}")]
    Pattern(#[from] PatternError),
    /// A template of the plan does not render.
    #[error("the command cannot be made: {0}")]
    Render(#[from] RenderError),
    /// A system call failed.
    #[error("cannot {doing}: {source}")]
    System {
        /// Action that failed, in words.
        doing: &'static str,
        /// Cause given by the system.
        source: io::Error,
    },
    /// The journal has a shard that the plan lacks.
    #[error("shard `{0}` is in the journal but not in plan.json")]
    NotPlanned(ShardId),
    /// The keeper was killed. Without one the next kill could be the last of a run in which nothing runs.
    #[error("the keeper has died; another keeper with its own supervisor takes over")]
    KeeperGone,
    /// The run was taken over elsewhere, for example while this machine was suspended.
    #[error("another supervisor has taken the run over; this one leaves it alone")]
    Replaced,
    /// The supervisor that was started does not answer.
    #[error("the supervisor did not come up{why}; see {}", log.display())]
    NotUp {
        /// The last line of its log, after a colon.
        why: String,
        /// Path of the log that gives the reason.
        log: PathBuf,
    },
}

impl SupervisorError {
    /// Another try would end in the same way.
    pub(crate) fn is_lasting(&self) -> bool {
        match self {
            Self::RunDir(error) => error.is_lasting(),
            Self::Pattern(_) | Self::Render(_) | Self::NotPlanned(_) | Self::Replaced => true,
            Self::Socket(_)
            | Self::Process(_)
            | Self::Engine(_)
            | Self::System { .. }
            | Self::KeeperGone
            | Self::NotUp { .. } => false,
        }
    }

    /// For `map_err`: what was tried.
    pub(crate) fn system(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { doing, source }
    }
}
