//! Python tracebacks: where one begins, and the line that names the exception.

use memchr::memmem::find;

use super::line_prefix::behind_prefix;

const HEADER: &str = "Traceback (most recent call last)";
/// A frame; its header may have been torn away by another stream.
const FRAME: &str = "  File \"";
/// Python prints such a traceback while it cleans up, and goes on.
const IGNORED: &str = "Exception ignored in";

/// Outside a traceback only lines that hold one of these are of interest.
pub const NEEDLES: [&str; 3] = [HEADER, FRAME, IGNORED];

/// So many foreign lines may lie between the frames and the exception: two streams share one terminal.
const PATIENCE: u32 = 100;

/// Follows the tracebacks of one log.
#[derive(Debug, Default)]
pub struct Tracebacks {
    state: State,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    /// The next traceback is none of the program's own.
    Ignoring,
    /// In a traceback that counts, or does not. Each of its lines stands behind a prefix where its frames do.
    Inside { counts: bool, patience: u32, in_frames: bool, prefixed: bool },
}

impl Tracebacks {
    /// A line is of interest although it holds no needle.
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Inside { .. })
    }

    /// Takes a line; true when it is the exception that ends a traceback.
    pub fn read(&mut self, line: &[u8]) -> bool {
        if find(line, IGNORED.as_bytes()).is_some() {
            self.state = State::Ignoring;
            return false;
        }
        let behind = behind_prefix(line);
        let prefixed = behind.is_some_and(is_frame);
        if prefixed || is_frame(line) || find(line, HEADER.as_bytes()).is_some() {
            let counts = match self.state {
                State::Outside => true,
                State::Ignoring => false,
                State::Inside { counts, .. } => counts,
            };
            self.state = State::Inside { counts, patience: PATIENCE, in_frames: true, prefixed };
            return false;
        }
        let State::Inside { counts, patience, in_frames, prefixed } = self.state else { return false };
        let line = if prefixed { behind } else { Some(line) };
        if line.is_some_and(is_within) {
            return false;
        }
        if line.is_some_and(|line| names_exception(line, in_frames)) {
            self.state = State::Outside;
            return counts;
        }
        self.state = match patience {
            0 => State::Outside,
            _ => State::Inside { counts, patience: patience - 1, in_frames: false, prefixed },
        };
        false
    }
}

/// Code, marks below it, and the frames of groups are indented or drawn behind a border.
fn is_within(line: &[u8]) -> bool {
    line.first().is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b'+' | b'|'))
}

fn is_frame(line: &[u8]) -> bool {
    line.starts_with(FRAME.as_bytes()) && find(line, b", line ").is_some()
}

/// `KeyError: 'x'`, `torch.OutOfMemoryError: …`; right behind the frames any dotted name with a colon or alone.
fn names_exception(line: &[u8], behind_frames: bool) -> bool {
    const ENDINGS: [&[u8]; 7] =
        [b"Error", b"Exception", b"Interrupt", b"Exit", b"Iteration", b"Warning", b"Timeout"];
    let end = line.iter().position(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'.' | b'_'));
    let (name, rest) = line.split_at(end.unwrap_or(line.len()));
    if !name.first().is_some_and(u8::is_ascii_alphabetic) || !(rest.is_empty() || rest.starts_with(b":")) {
        return false;
    }
    behind_frames || ENDINGS.iter().any(|ending| name.ends_with(ending))
}
