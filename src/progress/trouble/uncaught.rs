//! The newest exception that nothing in the log shows to have been caught, and whether it ended the program.

use crate::model::outcome::Proof;
use crate::progress::text::line_prefix::{behind_prefix, worker_on};

/// An exception this many lines before the end still ended the program: simulators print while they shut down.
const LINES_AFTER: u64 = 50;

/// Most lines after an exception that the program has outlived time and again: only where hardly anything follows did
/// it end the program.
const LINES_AFTER_HABIT: u64 = 3;

/// A worker that says so much behind its exception, more than its words of several lines, has caught it; and so many
/// lines of others show that the program did not end meanwhile.
const FEWEST_OF_WORKER: u32 = 2;
const FEWEST_OF_OTHERS: u32 = 3;

/// An exception that nothing in the log shows to have been caught.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncaught {
    /// The line that names it.
    pub proof: Proof,
    /// Lines behind it that say nothing about the program.
    skipped: u64,
    /// The log says itself that the program ended with it.
    is_end: bool,
    /// The program has outlived others like it.
    is_habit: bool,
    /// So many lines the worker that named it has said since, and behind these the others.
    of_worker: u32,
    of_others: u32,
}

impl Uncaught {
    /// An exception that was named just now; whether the program has outlived others like it.
    pub fn new(proof: Proof, is_habit: bool) -> Self {
        Self { proof, skipped: 0, is_end: false, is_habit, of_worker: 0, of_others: 0 }
    }

    /// The line comes from another process of the same program, by the rank before it: where one fails, the others lose
    /// their connection to it.
    pub fn is_of_another_rank(&self, line: &[u8]) -> bool {
        let first = rank(self.proof.text.as_bytes());
        first.is_some() && rank(line).is_some_and(|other| Some(other) != first)
    }

    /// A user ended the program by Ctrl-C, and the line names what its other processes throw when one is gone.
    pub fn is_of_user_and(&self, line: &[u8]) -> bool {
        const GONE: [&str; 4] = ["KeyboardInterrupt", "EOFError", "BrokenPipeError", "ConnectionResetError"];
        let words = behind_prefix(line).unwrap_or(line);
        is_of_user(&self.proof.text) && GONE.iter().any(|name| words.starts_with(name.as_bytes()))
    }

    /// Takes a line that shows no trouble; true where it shows that one worker of several caught the exception, because
    /// that one went on, and the others too.
    pub fn is_caught_by_worker(&mut self, line: &[u8]) -> bool {
        let Some(worker) = worker_on(self.proof.text.as_bytes()).filter(|_| !self.is_end) else {
            return false;
        };
        let Some(other) = worker_on(line).filter(|other| !line[other.len()..].trim_ascii().is_empty()) else {
            return false;
        };
        if other == worker {
            self.of_worker += 1;
        } else if self.of_worker >= FEWEST_OF_WORKER {
            self.of_others += 1;
        }
        self.of_others >= FEWEST_OF_OTHERS
    }

    /// Extends the exception to this line, on which the program still prints it.
    pub fn goes_on_to(&mut self, line: u64) {
        self.skipped = line - self.proof.line;
    }

    /// The present line says nothing about the program: objects that Python destroys at its end may each print a
    /// traceback.
    pub fn skip_line(&mut self) {
        self.skipped += 1;
    }

    /// The program ends now.
    pub fn ends(&mut self) {
        self.is_end = true;
    }

    /// Reports whether it ended the program, as far as so many lines show.
    pub fn has_ended(&self, lines: u64) -> bool {
        let most = if self.is_habit { LINES_AFTER_HABIT } else { LINES_AFTER };
        self.is_end || lines.saturating_sub(self.skipped) <= self.proof.line + most
    }
}

/// The exception is the wish of a user, who pressed Ctrl-C, or of what told a launcher of PyTorch to end.
pub fn is_of_user(text: &str) -> bool {
    // SIGHUP, SIGINT and SIGTERM.
    const SIGNALS: [&str; 3] = [" got signal: 1", " got signal: 2", " got signal: 15"];
    let is_told = text.contains("SignalException: Process ")
        && SIGNALS.iter().any(|signal| text.trim_end().ends_with(signal));
    text.trim_start().starts_with("KeyboardInterrupt") || is_told
}

/// `[rank0]` of `[rank0]: ValueError: …`.
fn rank(line: &[u8]) -> Option<&[u8]> {
    let end = line.starts_with(b"[rank").then(|| memchr::memchr(b']', line))??;
    Some(&line[..end])
}
