//! Classes of trouble: what a spelling is and what it means.

use memchr::memmem::find;

use super::reading::shorten;
use crate::model::outcome::FailureReason;
use crate::model::rule::BuiltInRule;

/// A spelling of one class of trouble.
#[derive(Debug)]
pub struct Spelling {
    /// The class.
    pub kind: &'static str,
    /// What the line holds.
    pub text: &'static str,
    /// What else must be true of the line.
    pub given: Given,
    /// What it means for the verdict.
    pub meaning: Meaning,
    /// What of its class it hit.
    pub part: Part,
}

/// What must be true of a line besides its text.
#[derive(Debug, Clone, Copy)]
pub enum Given {
    /// Nothing.
    Always,
    /// The line begins with the text.
    AtStart,
    /// It holds this as well.
    With(&'static str),
    /// It does not hold this.
    Without(&'static str),
    /// It holds none of these.
    WithoutAny(&'static [&'static str]),
}

impl Given {
    /// It is true of the line, which holds `text`.
    pub fn holds(self, line: &[u8], text: &str) -> bool {
        match self {
            Self::Always => true,
            Self::AtStart => line.starts_with(text.as_bytes()),
            Self::With(other) => find(line, other.as_bytes()).is_some(),
            Self::Without(other) => find(line, other.as_bytes()).is_none(),
            Self::WithoutAny(others) => others.iter().all(|other| find(line, other.as_bytes()).is_none()),
        }
    }
}

/// What trouble means for the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// The program is likely to end because of it, and this is why.
    Fails(FailureReason),
    /// The program is likely to end because of it; there is no reason of that name.
    Explains,
    /// Worth telling, but too often harmless to explain anything.
    Tells,
    /// The program goes on, but a rule has something to say about its results.
    Breaks(BuiltInRule, &'static str),
    /// The program is likely to end because of it, without a reason of that name, or goes on with results that a rule
    /// has something to say about.
    ExplainsOrBreaks(BuiltInRule, &'static str),
    /// The program ends for this reason, or goes on with results that a rule has something to say about.
    FailsOrBreaks(FailureReason, BuiltInRule, &'static str),
}

/// What of its class a spelling hit: counted apart.
#[derive(Debug, Clone, Copy)]
pub enum Part {
    /// Nothing is told apart.
    Whole,
    /// Always this.
    Named(&'static str),
    /// What the line names.
    On(fn(&[u8]) -> Option<&[u8]>),
}

impl Part {
    /// The part that the line is about, as text.
    pub fn of(self, line: &[u8]) -> Option<String> {
        // Names come from the log; no real one is longer.
        const LONGEST: usize = 64;
        match self {
            Self::Whole => None,
            Self::Named(name) => Some(name.to_owned()),
            Self::On(read) => read(line)
                .map(|part| shorten(&part[..part.len().min(LONGEST)]))
                .filter(|part| !part.is_empty()),
        }
    }
}
