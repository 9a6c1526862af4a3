//! The newest exception that nothing in the log shows to have been caught, and whether it ended the program.

use crate::model::outcome::Proof;

/// An exception this many lines before the end still ended the program: simulators print while they shut down.
const LINES_AFTER: u64 = 50;

/// One that the program has outlived time and again ended it only where hardly anything follows.
const LINES_AFTER_HABIT: u64 = 3;

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
}

impl Uncaught {
    /// An exception that was named just now; whether the program has outlived others like it.
    pub fn new(proof: Proof, is_habit: bool) -> Self {
        Self { proof, skipped: 0, is_end: false, is_habit }
    }

    /// The line comes from another process of the same program, by the rank before it: where one fails, the others lose
    /// their connection to it.
    pub fn is_of_another_rank(&self, line: &[u8]) -> bool {
        let first = rank(self.proof.text.as_bytes());
        first.is_some() && rank(line).is_some_and(|other| Some(other) != first)
    }

    /// The program still tells of it on this line.
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

    /// It ended the program, as far as so many lines show.
    pub fn has_ended(&self, lines: u64) -> bool {
        let most = if self.is_habit { LINES_AFTER_HABIT } else { LINES_AFTER };
        self.is_end || lines.saturating_sub(self.skipped) <= self.proof.line + most
    }
}

/// `[rank0]` of `[rank0]: ValueError: …`.
fn rank(line: &[u8]) -> Option<&[u8]> {
    let end = line.starts_with(b"[rank").then(|| memchr::memchr(b']', line))??;
    Some(&line[..end])
}
