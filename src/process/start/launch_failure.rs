//! Why a forked child could not become its program, and how it reports that to its parent through a pipe.

use std::io;

/// Step of starting a program, in the order they are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchStep {
    /// Its own session and the controlling terminal.
    Terminal,
    /// The signal that ends it with its holder.
    DeathSignal,
    /// Change to the working directory.
    Directory,
    /// Pinning to the given cores.
    Cores,
    /// Change of the niceness.
    Nice,
    /// Execution of the program itself.
    Exec,
}

/// A program that could not be started, and the reason of the kernel.
#[derive(Debug)]
pub struct LaunchFailure {
    /// Step that failed after the fork.
    pub step: LaunchStep,
    /// Reason that the kernel gives.
    pub source: io::Error,
}

const STEPS: [LaunchStep; 6] = [
    LaunchStep::Terminal,
    LaunchStep::DeathSignal,
    LaunchStep::Directory,
    LaunchStep::Cores,
    LaunchStep::Nice,
    LaunchStep::Exec,
];

/// Length of a record in bytes: one for the step and four for the errno.
pub(in crate::process) const RECORD: usize = 5;

impl LaunchFailure {
    pub(in crate::process) fn to_record(&self) -> [u8; RECORD] {
        let step = STEPS.iter().position(|step| *step == self.step).unwrap_or(0);
        let [a, b, c, d] = self.source.raw_os_error().unwrap_or(0).to_le_bytes();
        [step as u8, a, b, c, d]
    }

    pub(in crate::process) fn from_record(record: &[u8]) -> Option<Self> {
        let [step, errno @ ..] = <[u8; RECORD]>::try_from(record).ok()?;
        let step = *STEPS.get(usize::from(step))?;
        Some(Self { step, source: io::Error::from_raw_os_error(i32::from_le_bytes(errno)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_cross_the_pipe_unchanged() {
        for step in STEPS {
            let sent = LaunchFailure { step, source: io::Error::from_raw_os_error(libc::ENOEXEC) };
            let received = LaunchFailure::from_record(&sent.to_record()).unwrap();
            assert_eq!((received.step, received.source.raw_os_error()), (step, Some(libc::ENOEXEC)));
        }
        assert!(LaunchFailure::from_record(b"").is_none());
    }
}
