//! Patterns of the sweep that did not do what they are there for.

/// A pattern of the sweep that did not do what it is there for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternFault {
    /// Position of the pattern in the sweep: `[[metric]] success`.
    pub place: String,
    /// Kind of failure of the pattern.
    pub kind: PatternFaultKind,
    /// Message of one line for people.
    pub message: String,
}

/// Failure of a pattern to do what it is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternFaultKind {
    /// The pattern matched no line.
    NeverMatched,
    /// The pattern counts lines, and there were none: perhaps rightly so.
    CountedNone,
    /// The pattern matched, but its group held no number.
    NoNumber,
}

impl PatternFault {
    /// Reports whether it is worth a remark next to the verdict on an attempt, which may have `run` long enough for
    /// every line to come.
    pub fn is_told(&self, run: bool) -> bool {
        match self.kind {
            PatternFaultKind::NoNumber => true,
            PatternFaultKind::NeverMatched => run,
            PatternFaultKind::CountedNone => false,
        }
    }
}
