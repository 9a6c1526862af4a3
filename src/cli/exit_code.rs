//! The exit codes of the contract, the same for every verb.

use std::process::ExitCode;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// What was asked for is done; where a run was waited for, every shard succeeded.
    Done,
    /// Some shard did not succeed.
    NotAllSucceeded,
    /// The command line or the sweep is wrong.
    Usage,
    /// This machine cannot run the sweep.
    Refused,
    /// There is no such run or shard.
    Absent,
    /// The run or its supervisor cannot be reached, or the user may not.
    Unreachable,
    /// Ended by a signal, told as shells do.
    Signalled(u8),
}

impl Exit {
    /// The number.
    pub fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::NotAllSucceeded => 1,
            Self::Usage => 2,
            Self::Refused => 3,
            Self::Absent => 4,
            Self::Unreachable => 5,
            Self::Signalled(signal) => 128 + signal,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}
