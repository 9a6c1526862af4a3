//! Classes of trouble: what an error pattern is and what it means.

use crate::model::outcome::FailureReason;
use crate::model::sweep::rule::BuiltInRule;
use crate::progress::reading::shorten;
use crate::progress::text::find::find;
use crate::progress::text::word::split_dotted_name;
use crate::progress::trouble::job_status::{is_of_helper, job_status};

/// Pattern of lines that show one class of trouble.
#[derive(Debug, Clone, Copy)]
pub struct ErrorPattern {
    /// Class of the trouble, such as `gpu-oom`.
    pub kind: &'static str,
    /// Text that the line must hold.
    pub text: &'static str,
    /// Further condition on the line.
    pub given: LineCondition,
    /// Meaning of a match for the verdict.
    pub meaning: AlertMeaning,
    /// Part of its class that the trouble hit.
    pub part: AlertPart,
}

impl ErrorPattern {
    /// Returns an error pattern that matches this text anywhere on a line.
    pub const fn new(kind: &'static str, text: &'static str, meaning: AlertMeaning) -> Self {
        Self { kind, text, given: LineCondition::Always, meaning, part: AlertPart::Whole }
    }

    /// Only where this is true of the line as well.
    pub const fn given(self, given: LineCondition) -> Self {
        Self { given, ..self }
    }

    /// Names the part of its class that it always hit.
    pub const fn on(self, name: &'static str) -> Self {
        self.part(AlertPart::Named(name))
    }

    /// Reports whether the line says that the program was told to end, by somebody, by its time limit or because the
    /// main memory ran out, or that a signal ended it. What its logger calls no error and a program may survive does
    /// not say so, nor does what is said of another one, such as `ffmpeg: Aborted`.
    pub fn tells_to_end(&self, line: &[u8], is_survived: bool) -> bool {
        use FailureReason::{Cancelled, HostOom, Signal, Timeout};
        match self.meaning {
            AlertMeaning::Fails(Cancelled | Timeout) => true,
            AlertMeaning::Fails(HostOom) => !is_survived,
            AlertMeaning::Stops => !is_of_helper(line),
            AlertMeaning::Fails(Signal) => {
                let is_of_shell = line.starts_with(self.text.as_bytes()) || job_status(line).is_some();
                is_of_shell && !is_survived && !is_of_helper(line)
            }
            AlertMeaning::Fails(_)
            | AlertMeaning::Explains
            | AlertMeaning::Tells
            | AlertMeaning::Breaks(..)
            | AlertMeaning::ExplainsOrBreaks(..)
            | AlertMeaning::FailsOrBreaks(..) => false,
        }
    }

    /// Sets how the part of its class that it hit is found.
    pub const fn part(self, part: AlertPart) -> Self {
        Self { part, ..self }
    }
}

/// Condition on a line besides its text.
#[derive(Debug, Clone, Copy)]
pub enum LineCondition {
    /// No further condition on the line.
    Always,
    /// The line begins with the text.
    AtStart,
    /// The line holds this text as well.
    With(&'static str),
    /// The line does not hold this text.
    Without(&'static str),
    /// The line holds none of these texts.
    WithoutAny(&'static [&'static str]),
    /// The line is nothing but the text, or the text and a note on the core file.
    Alone,
    /// The line is the last one of a traceback: it begins with the name of an exception and a colon.
    Thrown,
    /// The function can read a value from the line.
    Reads(fn(&[u8]) -> Option<&[u8]>),
}

impl LineCondition {
    /// Reports whether the condition is true of the line, which holds `text`.
    pub fn holds(self, line: &[u8], text: &str) -> bool {
        match self {
            Self::Always => true,
            Self::AtStart => line.starts_with(text.as_bytes()),
            Self::With(other) => find(line, other.as_bytes()).is_some(),
            Self::Without(other) => find(line, other.as_bytes()).is_none(),
            Self::WithoutAny(others) => others.iter().all(|other| find(line, other.as_bytes()).is_none()),
            Self::Alone => {
                let line = line.trim_ascii();
                let notes = [" (core dumped)", " (核心已转储)", " (Speicherabzug geschrieben)"];
                let bare = notes.into_iter().find_map(|note| line.strip_suffix(note.as_bytes()));
                bare.unwrap_or(line) == text.as_bytes()
            }
            Self::Thrown => is_thrown(line),
            Self::Reads(read) => read(line).is_some(),
        }
    }
}

/// The line begins with the dotted name of an exception and a colon, as the last line of a traceback does.
fn is_thrown(line: &[u8]) -> bool {
    const ENDINGS: [&[u8]; 2] = [b"Error", b"Exception"];
    let (name, rest) = split_dotted_name(line);
    rest.starts_with(b":") && ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Meaning of trouble for the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlertMeaning {
    /// The program is likely to end because of it, and this is why.
    Fails(FailureReason),
    /// The program is likely to end because of it; there is no reason of that name.
    Explains,
    /// Worth showing, but too often harmless to explain anything.
    Tells,
    /// The program was told to end. It may do so in good order and say that it has finished, whatever it had done.
    Stops,
    /// The program goes on, but a rule has something to say about its results.
    Breaks(BuiltInRule, &'static str),
    /// The program is likely to end because of it, without a reason of that name, or goes on with results that a rule
    /// has something to say about.
    ExplainsOrBreaks(BuiltInRule, &'static str),
    /// The program ends for this reason, or goes on with results that a rule has something to say about.
    FailsOrBreaks(FailureReason, BuiltInRule, &'static str),
}

/// Part of its class that an error pattern hit: each part is counted separately.
#[derive(Debug, Clone, Copy)]
pub enum AlertPart {
    /// No parts are distinguished within the class.
    Whole,
    /// Always the part of this name.
    Named(&'static str),
    /// Part that the function reads from the line.
    On(fn(&[u8]) -> Option<&[u8]>),
}

impl AlertPart {
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
