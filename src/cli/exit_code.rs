//! The exit codes of the contract, the same for every verb.

use std::process::ExitCode;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CliExit {
    /// The request is fulfilled; where a run was waited for, every shard succeeded.
    Done,
    /// Some shard did not succeed.
    NotAllSucceeded,
    /// The command line or the sweep is wrong.
    Usage,
    /// The machine cannot run the sweep.
    Refused,
    /// There is no such run or shard.
    Absent,
    /// The run or its supervisor cannot be reached, or the user may not.
    Unreachable,
    /// Ended by this signal; reported as shells do.
    Signalled(u8),
}

/// The exit codes with their meaning, as documentation and man pages have them.
pub const EXIT_CODES: &[(CliExit, &str)] = &[
    (CliExit::Done, "done; for `run --headless`, `demo --headless` and `wait`: every shard succeeded"),
    (
        CliExit::NotAllSucceeded,
        "a shard did not succeed, the reporter failed, or a run ended without its results",
    ),
    (CliExit::Usage, "wrong usage, or a mistake in the sweep"),
    (CliExit::Refused, "`check` or `doctor` found something that prevents a start"),
    (CliExit::Absent, "no such run or shard"),
    (CliExit::Unreachable, "not reachable, not permitted, or not writable"),
];

impl CliExit {
    /// Returns the number that the process exits with.
    pub fn to_code(self) -> u8 {
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

impl From<CliExit> for ExitCode {
    fn from(exit: CliExit) -> Self {
        Self::from(exit.to_code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_these_codes() {
        let page = include_str!("../../docs/commands.md");
        for (exit, meaning) in EXIT_CODES {
            let row = format!("| {} | {meaning} |", exit.to_code());
            assert!(page.contains(&row), "docs/commands.md lacks: {row}");
        }
    }
}
