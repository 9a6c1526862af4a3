//! Python tracebacks: where one begins, and the line that names the exception.

use crate::progress::text::find::find;
use crate::progress::text::line_level::has_level;
use crate::progress::text::line_prefix::behind_prefix;

/// How a traceback begins, before a colon or within the border of a box.
pub const HEADER: &str = "Traceback (most recent call last)";
/// A frame; its header may have been torn away by another stream.
const FRAME: &str = "  File \"";
/// Headings of tracebacks of exceptions that did not end the program: of objects that Python destroys, of tasks that
/// were never awaited, of event loops and servers that go on, of clients of a policy server that only looked whether it
/// is there, of lines that a logger could not print, and of extensions that Kit could not load.
const HEADINGS: [(&str, ExceptionOrigin); 8] = [
    ("Exception ignored in", ExceptionOrigin::Cleanup),
    ("Task exception was never retrieved", ExceptionOrigin::Caught),
    ("Future exception was never retrieved", ExceptionOrigin::Caught),
    ("Exception in callback ", ExceptionOrigin::Caught),
    ("Exception in ASGI application", ExceptionOrigin::Caught),
    ("opening handshake failed", ExceptionOrigin::Caught),
    ("--- Logging error ---", ExceptionOrigin::Caught),
    (OF_KIT, ExceptionOrigin::Caught),
];
const OF_KIT: &str = " Traceback:";
/// Headings of frames that no exception ended: a logger shows where it was called.
const STACKS: [&str; 2] = ["Call stack:", "Stack (most recent call last)"];
/// Sentences between two tracebacks where one exception led to the other.
const LINKS: [&str; 2] =
    ["During handling of the above exception", "The above exception was the direct cause"];

/// Outside a traceback only lines that hold one of these are of interest.
pub const NEEDLES: [&str; 4 + HEADINGS.len()] = {
    let mut needles = [HEADER; 4 + HEADINGS.len()];
    needles[1] = FRAME;
    needles[2] = STACKS[0];
    needles[3] = STACKS[1];
    let mut position = 0;
    while position < HEADINGS.len() {
        needles[4 + position] = HEADINGS[position].0;
        position += 1;
    }
    needles
};

/// So many foreign lines may lie between the frames and the exception: two streams share one terminal.
const PATIENCE: u32 = 100;
/// And so many between a heading or a link and its traceback.
const PATIENCE_OF_HEADING: u32 = 10;

/// Follows the tracebacks of one log.
#[derive(Debug, Default)]
pub struct Tracebacks {
    state: TracebackState,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum TracebackState {
    #[default]
    Outside,
    /// The next traceback is of this origin.
    Announced { origin: ExceptionOrigin, patience: u32 },
    /// In its frames, or in what came between them and the exception.
    Inside {
        origin: ExceptionOrigin,
        has_header: bool,
        patience: u32,
        in_frames: bool,
        layout: TracebackLayout,
    },
    /// In frames that no exception ended.
    InStack,
    /// The lines before named an exception and may go on with its words.
    CountSuffix { origin: ExceptionOrigin, in_words: bool },
}

/// Layout of its lines in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TracebackLayout {
    Plain,
    /// Each line follows a prefix, or the border of a group of exceptions.
    CountSuffix,
    /// Rich draws the frames in a box; the exception is printed below it.
    Boxed,
}

/// Source of the exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExceptionOrigin {
    /// The program's own, which may have ended it.
    Program,
    /// An exception that was caught.
    Caught,
    /// The destruction of an object by Python, which goes on afterwards.
    Cleanup,
}

/// Role of a line within tracebacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TracebackLine {
    /// Nothing that counts for the verdict.
    Nothing,
    /// The line names an exception that may have ended the program.
    Thrown,
    /// The line names an exception that was caught.
    Caught,
    /// The line belongs to what Python prints while it cleans up.
    Cleanup,
    /// The line shows code, which holds words of trouble that never happened.
    Code,
}

impl Tracebacks {
    /// A line is of interest although it holds no needle.
    pub fn is_open(&self) -> bool {
        self.state != TracebackState::Outside
    }

    /// The log ends among the frames of an exception of the program, before the line that names it.
    pub fn is_torn(&self) -> bool {
        matches!(
            self.state,
            TracebackState::Inside {
                origin: ExceptionOrigin::Program,
                has_header: true,
                in_frames: true,
                ..
            }
        )
    }

    /// Takes a line, and returns what it is to the tracebacks.
    pub fn read(&mut self, line: &[u8]) -> TracebackLine {
        if let Some((_, origin)) = HEADINGS.iter().find(|(heading, _)| heads(line, heading)) {
            self.state = TracebackState::Announced { origin: *origin, patience: PATIENCE_OF_HEADING };
            return origin.within();
        }
        let words = behind_prefix(line);
        if STACKS.iter().any(|stack| words.unwrap_or(line).trim_ascii_start().starts_with(stack.as_bytes())) {
            self.state = TracebackState::InStack;
            return TracebackLine::Nothing;
        }
        if self.state == TracebackState::InStack && [Some(line), words].into_iter().flatten().any(is_within) {
            return TracebackLine::Code;
        }
        let behind = behind_border(words.unwrap_or(line)).or(words);
        if let Some(layout) = layout_of(line, behind) {
            return self.begin_or_go_on(line, layout);
        }
        match self.state {
            TracebackState::Outside => TracebackLine::Nothing,
            TracebackState::CountSuffix { origin, .. }
                if LINKS.iter().any(|link| find(line, link.as_bytes()).is_some()) =>
            {
                self.state = TracebackState::Announced { origin, patience: PATIENCE_OF_HEADING };
                origin.within()
            }
            // Words of several lines, such as a tensor with a row on each.
            TracebackState::CountSuffix { .. } if is_within(line) => TracebackLine::Cleanup,
            TracebackState::CountSuffix { origin, in_words: false } => {
                self.state = TracebackState::CountSuffix { origin, in_words: true };
                TracebackLine::Nothing
            }
            // An exception that was caught may be named without its traceback.
            TracebackState::Announced { origin, .. }
                if origin != ExceptionOrigin::Program && names_exception(words.unwrap_or(line), false) =>
            {
                self.state = TracebackState::CountSuffix { origin, in_words: false };
                origin.thrown()
            }
            TracebackState::Announced { .. } if has_level(line) => self.leave(),
            TracebackState::InStack
            | TracebackState::CountSuffix { .. }
            | TracebackState::Announced { patience: 0, .. } => self.leave(),
            TracebackState::Announced { origin, patience } => {
                self.state = TracebackState::Announced { origin, patience: patience - 1 };
                TracebackLine::Nothing
            }
            TracebackState::Inside { origin, has_header, patience, in_frames, layout } => {
                let line = match layout {
                    TracebackLayout::Plain => Some(line),
                    TracebackLayout::CountSuffix => behind,
                    TracebackLayout::Boxed => Some(words.unwrap_or(line).trim_ascii_start()),
                };
                if line.is_some_and(is_within) {
                    return if in_frames { origin.code() } else { origin.within() };
                }
                if line.is_some_and(|line| names_exception(line, has_header && in_frames)) {
                    self.state = TracebackState::CountSuffix { origin, in_words: false };
                    return if line.is_some_and(is_summary) {
                        TracebackLine::Caught
                    } else {
                        origin.thrown()
                    };
                }
                if patience == 0 {
                    return self.leave();
                }
                self.state = TracebackState::Inside {
                    origin,
                    has_header,
                    patience: patience - 1,
                    in_frames: false,
                    layout,
                };
                TracebackLine::Nothing
            }
        }
    }

    /// The line is the header of a traceback, or a frame whose header may have been torn away.
    fn begin_or_go_on(&mut self, line: &[u8], layout: TracebackLayout) -> TracebackLine {
        let is_header = is_header(line);
        let (origin, had_header) = match self.state {
            TracebackState::CountSuffix { origin, .. } if !is_header => (origin, false),
            TracebackState::Outside | TracebackState::InStack | TracebackState::CountSuffix { .. } => {
                (ExceptionOrigin::Program, false)
            }
            TracebackState::Announced { origin, .. } => (origin, false),
            TracebackState::Inside { origin, has_header, .. } => (origin, has_header),
        };
        let has_header = had_header || is_header;
        self.state =
            TracebackState::Inside { origin, has_header, patience: PATIENCE, in_frames: true, layout };
        if heads_by_name(line) { origin.thrown() } else { origin.within() }
    }

    fn leave(&mut self) -> TracebackLine {
        self.state = TracebackState::Outside;
        TracebackLine::Nothing
    }
}

/// The line begins a traceback in this layout, or is one of its frames.
fn layout_of(line: &[u8], behind: Option<&[u8]>) -> Option<TracebackLayout> {
    if is_frame(line) {
        Some(TracebackLayout::Plain)
    } else if behind.is_some_and(is_frame) {
        Some(TracebackLayout::CountSuffix)
    } else if is_header(line) {
        let is_boxed = behind.unwrap_or(line).trim_ascii_start().starts_with("╭".as_bytes());
        Some(if is_boxed { TracebackLayout::Boxed } else { TracebackLayout::Plain })
    } else {
        None
    }
}

/// The line is the header of a traceback. One within a record that holds a whole traceback as a value goes on behind it
/// with its frames or with a quotation mark, and nothing was thrown there.
fn is_header(line: &[u8]) -> bool {
    let is_value = |rest: &[u8]| rest.iter().any(|byte| byte.is_ascii_alphanumeric() || *byte == b'"');
    find(line, HEADER.as_bytes()).is_some_and(|at| !is_value(&line[at + HEADER.len()..]))
}

/// The header of IPython and notebooks, which names the exception before its frames:
/// `KeyError              Traceback (most recent call last)`.
fn heads_by_name(line: &[u8]) -> bool {
    let before = find(line, HEADER.as_bytes()).map(|at| line[..at].trim_ascii_end());
    before.is_some_and(|before| is_header(line) && names_exception(before, false))
}

impl ExceptionOrigin {
    /// Returns the role of a line that does not name the exception.
    fn within(self) -> TracebackLine {
        match self {
            Self::Program | Self::Caught => TracebackLine::Nothing,
            Self::Cleanup => TracebackLine::Cleanup,
        }
    }

    fn code(self) -> TracebackLine {
        match self {
            Self::Program | Self::Caught => TracebackLine::Code,
            Self::Cleanup => TracebackLine::Cleanup,
        }
    }

    fn thrown(self) -> TracebackLine {
        match self {
            Self::Program => TracebackLine::Thrown,
            Self::Caught => TracebackLine::Caught,
            Self::Cleanup => TracebackLine::Cleanup,
        }
    }
}

/// The line holds the heading, and where that is one of Kit ends in it: a program that writes so may be at its end.
fn heads(line: &[u8], heading: &str) -> bool {
    let is_kit = heading == OF_KIT;
    find(line, heading.as_bytes()).is_some()
        && (!is_kit
            || line.trim_ascii_end().ends_with(heading.as_bytes()) && find(line, b"] [omni.ext.").is_some())
}

/// Returns what follows `  | `, the border of a group of exceptions.
fn behind_border(line: &[u8]) -> Option<&[u8]> {
    let border = line.trim_ascii_start();
    (border.len() < line.len()).then(|| border.strip_prefix(b"| ")).flatten()
}

/// Code and marks below it are indented; groups and boxes have borders.
fn is_within(line: &[u8]) -> bool {
    let is_border = |border: &str| line.starts_with(border.as_bytes());
    line.first().is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b'+' | b'|'))
        || ["│", "╭", "╰"].into_iter().any(is_border)
}

/// `  File "eval.py", line 3, in step`; the fault handler, which names no exception, leaves the second comma out.
fn is_frame(line: &[u8]) -> bool {
    const LINE: &[u8] = b", line ";
    line.starts_with(FRAME.as_bytes())
        && find(line, LINE).is_some_and(|at| {
            let number = line[at + LINE.len()..].trim_ascii_end();
            let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
            digits > 0 && number.get(digits).is_none_or(|byte| *byte == b',')
        })
}

/// Reports whether a launcher sums up here what the processes that it started have said before.
fn is_summary(line: &[u8]) -> bool {
    find(line, b".ChildFailedError:").is_some()
}

/// `KeyError: 'x'`, `torch.OutOfMemoryError: …`; right behind the frames of a traceback whose header was seen any
/// dotted name with a colon or alone.
fn names_exception(line: &[u8], is_any_name: bool) -> bool {
    const ENDINGS: [&[u8]; 7] =
        [b"Error", b"Exception", b"Interrupt", b"Exit", b"Iteration", b"Warning", b"Timeout"];
    // Lines of other streams between the frames and the exception, and what a logger could not print.
    const NEVER: [&[u8]; 2] = [b"Message", b"Arguments"];
    // `__main__.Missing`, `_pickle.PicklingError`, `eval.main.<locals>.Stop`.
    let end = line.iter().position(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'.' | b'_' | b'<' | b'>'));
    let (name, rest) = line.split_at(end.unwrap_or(line.len()));
    let is_name = name.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_');
    if !is_name || !(rest.is_empty() || rest.starts_with(b":")) {
        return false;
    }
    ENDINGS.iter().any(|ending| name.ends_with(ending))
        || is_any_name && !NEVER.contains(&name) && !has_level(line)
}
