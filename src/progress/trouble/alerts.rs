//! Classes of trouble: what a spelling is and what it means.

use memchr::memmem::find;

use crate::model::outcome::FailureReason;
use crate::model::rule::BuiltInRule;
use crate::progress::reading::shorten;

/// A spelling of one class of trouble.
#[derive(Debug, Clone, Copy)]
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

impl Spelling {
    /// This text, wherever it stands on a line.
    pub const fn new(kind: &'static str, text: &'static str, meaning: Meaning) -> Self {
        Self { kind, text, given: Given::Always, meaning, part: Part::Whole }
    }

    /// Only where this is true of the line as well.
    pub const fn given(self, given: Given) -> Self {
        Self { given, ..self }
    }

    /// It always hit this of its class.
    pub const fn on(self, name: &'static str) -> Self {
        self.part(Part::Named(name))
    }

    /// What of its class it hit.
    pub const fn part(self, part: Part) -> Self {
        Self { part, ..self }
    }
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
    /// It is nothing but the text, or the text and a note on the core file.
    Alone,
    /// It is the last line of a traceback: it begins with the name of an exception and a colon.
    Thrown,
    /// This can be read from it.
    Reads(fn(&[u8]) -> Option<&[u8]>),
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
            Self::Alone => {
                let line = line.trim_ascii();
                line.strip_suffix(b" (core dumped)").unwrap_or(line) == text.as_bytes()
            }
            Self::Thrown => is_thrown(line),
            Self::Reads(read) => read(line).is_some(),
        }
    }
}

/// The line begins with the dotted name of an exception and a colon, as the last line of a traceback does.
fn is_thrown(line: &[u8]) -> bool {
    const ENDINGS: [&[u8]; 2] = [b"Error", b"Exception"];
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_');
    let end = line.iter().position(|byte| !is_of_name(byte)).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    rest.starts_with(b":") && ENDINGS.iter().any(|ending| name.ends_with(ending))
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
