//! What a verb ends with when it cannot do its work: an exit code, a sentence, and what to do about it.

use std::io;
use std::path::Path;

use super::exit_code::CliExit;
use crate::rundir::error::RunDirError;
use crate::socket::error::SocketError;
use crate::supervisor::error::SupervisorError;
use crate::tui::options::TuiError;

/// Why a verb could not do its work.
#[derive(Debug, thiserror::Error)]
#[error("{message}{}", hint.as_ref().map(|hint| format!("\n  help: {hint}")).unwrap_or_default())]
pub struct CliError {
    /// Code with which the process exits.
    pub exit: CliExit,
    /// The mistake in words; may have several lines.
    pub message: String,
    /// Advice on what to do about it, if there is any.
    pub hint: Option<String>,
    /// The message is a list of mistakes of a file, each drawn with its place and its own `error:`.
    pub is_drawn: bool,
}

impl CliError {
    /// An error with this exit code.
    pub fn new(exit: CliExit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hint: None, is_drawn: false }
    }

    /// The mistakes of a file, drawn with their places.
    pub fn drawn(mistakes: &str) -> Self {
        Self { is_drawn: true, ..Self::usage(mistakes.trim_end()) }
    }

    /// The command line or a file named on it is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(CliExit::Usage, message)
    }

    /// There is no such thing.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(CliExit::Absent, message)
    }

    /// Builds the error for a run that cannot be reached, or that the user may not reach.
    pub fn unreachable(message: impl Into<String>) -> Self {
        Self::new(CliExit::Unreachable, message)
    }

    /// The same with what to do about it.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// For `map_err`: what was tried with which file.
    pub fn for_file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| {
            let message = format!("cannot {doing} {}: {error}", path.display());
            match error.kind() {
                io::ErrorKind::PermissionDenied => Self::unreachable(message),
                _ => Self::usage(message),
            }
        }
    }

    /// For `map_err`: what was tried.
    pub fn system(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::unreachable(format!("cannot {doing}: {error}"))
    }
}

impl From<RunDirError> for CliError {
    fn from(error: RunDirError) -> Self {
        let exit = match &error {
            RunDirError::NotARun { .. }
            | RunDirError::UnknownRun { .. }
            | RunDirError::NoRuns
            | RunDirError::NoStateFolder => CliExit::Absent,
            RunDirError::NotEmpty { .. } => CliExit::Usage,
            // The files are there and cannot be used.
            RunDirError::Io { .. }
            | RunDirError::NotPrivate { .. }
            | RunDirError::Malformed { .. }
            | RunDirError::Journal { .. }
            | RunDirError::Fold { .. }
            | RunDirError::Damaged { .. }
            | RunDirError::Elsewhere { .. }
            | RunDirError::Copy { .. }
            | RunDirError::NewerVersion { .. }
            | RunDirError::NewerExperience { .. } => CliExit::Unreachable,
        };
        Self::new(exit, error.to_string())
    }
}

impl From<SocketError> for CliError {
    fn from(error: SocketError) -> Self {
        Self::unreachable(error.to_string())
    }
}

impl From<SupervisorError> for CliError {
    fn from(error: SupervisorError) -> Self {
        match error {
            SupervisorError::RunDir(error) => error.into(),
            error => Self::unreachable(error.to_string()),
        }
    }
}

impl From<TuiError> for CliError {
    fn from(error: TuiError) -> Self {
        match error {
            TuiError::Run(error) => error.into(),
            TuiError::NoTerminal => Self::usage(error.to_string()),
            // A reader that has seen enough of the plain lines.
            TuiError::Terminal(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                Self::new(CliExit::Done, "")
            }
            TuiError::Terminal(_) => Self::unreachable(error.to_string()),
        }
    }
}
