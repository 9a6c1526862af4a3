//! The trouble that explains a failure.

use crate::model::outcome::{FailureReason, MemoryHolder, Proof};
use crate::progress::text::find::find;

/// Trouble that explains a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureCause {
    /// The class of trouble.
    pub kind: &'static str,
    /// The reason it gives; none for trouble that explains an exit code but has no reason of its own.
    pub reason: Option<FailureReason>,
    /// First line that shows the trouble.
    pub proof: Proof,
    /// Processes that held the memory, where the log names them.
    pub memory_holders: Vec<MemoryHolder>,
}

impl FailureCause {
    /// Later trouble of this reason, on this line, says more. One that gives a reason says more than one that gives
    /// none, unless the device itself was broken before; why a signal was sent says more than that it was, and anything
    /// more than that the program failed.
    pub fn is_outweighed_by(&self, kind: &str, reason: Option<FailureReason>, line: &[u8]) -> bool {
        use FailureReason::{ExitCode, Signal};
        if kind == self.kind && is_passed_on(&self.proof.text) {
            return true;
        }
        match (self.reason, reason) {
            // Slurm ends the other tasks of a step in which one has failed.
            (Some(ExitCode | Signal), Some(FailureReason::Cancelled))
                if find(line, b"*** STEP ").is_some() =>
            {
                false
            }
            (Some(ExitCode), later) => later.is_some_and(|reason| reason != ExitCode),
            (Some(Signal), later) => later.is_some_and(|reason| !matches!(reason, ExitCode | Signal)),
            (None, Some(ExitCode)) => false,
            (None, Some(_)) => !matches!(self.kind, "cuda-fault" | "gpu-lost"),
            (None | Some(_), _) => false,
        }
    }

    /// A program refused its command line, and was over.
    pub fn refuses_command_line(&self) -> bool {
        self.reason == Some(FailureReason::ExitCode) && self.proof.text.contains(": error: ")
    }

    /// The line, and whose memory it was.
    pub fn message(&self) -> String {
        let held: Vec<String> = self
            .memory_holders
            .iter()
            .map(|holder| format!("process {} held {}", holder.pid, holder.held))
            .collect();
        match held.as_slice() {
            [] => self.proof.text.clone(),
            held => format!("{} ({})", self.proof.text, held.join(", ")),
        }
    }
}

/// PyTorch passes on what a worker or a replica of the model has thrown, and prints that behind it.
fn is_passed_on(text: &str) -> bool {
    let places = [" in replica ", " in DataLoader worker process ", " in pin memory thread "];
    text.contains(": Caught ") && places.iter().any(|place| text.contains(place))
}
