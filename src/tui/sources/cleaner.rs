//! Raw terminal output made into clean lines: escapes removed, `\r` overwrites, tabs widened, lines bounded.

/// A longer line is cut: nobody reads on, and a program that prints no newline must not eat the memory.
const LONGEST: usize = 4096;

/// Turns bytes into lines, piece by piece.
#[derive(Debug, Default)]
pub struct Cleaner {
    line: Vec<u8>,
    state: State,
    /// A `\r` was seen: what comes next overwrites the line, unless it is the end of it.
    returned: bool,
}

/// Where in an escape sequence the last byte was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    Escape,
    /// `ESC [`, until a final byte.
    Control,
    /// `ESC ]` and its kin, until BEL or `ESC \`.
    String {
        /// The last byte was an escape.
        escape: bool,
    },
}

impl Cleaner {
    /// Takes bytes; complete lines go to `lines`.
    pub fn feed(&mut self, bytes: &[u8], lines: &mut Vec<String>) {
        for byte in bytes {
            match self.state {
                State::Text => self.text(*byte, lines),
                State::Escape => {
                    self.state = match byte {
                        b'[' => State::Control,
                        b']' | b'P' | b'X' | b'^' | b'_' => State::String { escape: false },
                        0x20..=0x2f => State::Escape,
                        _ => State::Text,
                    }
                }
                State::Control => self.control(*byte, lines),
                State::String { escape } => self.string(*byte, escape, lines),
            }
        }
    }

    /// The line that has no end yet.
    pub fn open_line(&self) -> String {
        finish(&self.line)
    }

    fn text(&mut self, byte: u8, lines: &mut Vec<String>) {
        match byte {
            b'\n' => {
                lines.push(finish(&self.line));
                self.line.clear();
                self.returned = false;
            }
            b'\r' => self.returned = true,
            0x1b => self.state = State::Escape,
            0x08 => _ = self.line.pop(),
            b'\t' => {
                let blanks = 8 - self.line.len() % 8;
                (0..blanks).for_each(|_| self.push(b' '));
            }
            0x00..0x20 | 0x7f => {}
            _ => self.push(byte),
        }
    }

    fn control(&mut self, byte: u8, lines: &mut Vec<String>) {
        match byte {
            0x20..=0x3f => {}
            0x40..=0x7e => self.state = State::Text,
            // Not an escape sequence after all, or one that was broken off.
            _ => {
                self.state = State::Text;
                self.text(byte, lines);
            }
        }
    }

    fn string(&mut self, byte: u8, escape: bool, lines: &mut Vec<String>) {
        self.state = match byte {
            0x07 => State::Text,
            b'\\' if escape => State::Text,
            0x1b => State::String { escape: true },
            // An unterminated string must not swallow the rest of the log.
            b'\n' => {
                self.state = State::Text;
                return self.text(byte, lines);
            }
            _ => State::String { escape: false },
        };
    }

    fn push(&mut self, byte: u8) {
        if self.returned {
            self.line.clear();
            self.returned = false;
        }
        if self.line.len() < LONGEST {
            self.line.push(byte);
        }
    }
}

/// Text without characters that take no cell or turn the direction of writing: terminals disagree about them.
fn finish(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if text.contains(odd) { text.replace(odd, "") } else { text.into_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn clean(bytes: &[u8]) -> (Vec<String>, String) {
        let mut cleaner = Cleaner::default();
        let mut lines = Vec::new();
        cleaner.feed(bytes, &mut lines);
        (lines, cleaner.open_line())
    }

    #[test]
    fn progress_bars_collapse_and_escapes_vanish() {
        let (lines, open) = clean(b"\x1b[31mred\x1b[0m\r\n 10%|#   |\r 20%|##  |\r\n 30%|### |\r");
        assert_eq!(lines, ["red", " 20%|##  |"]);
        assert_eq!(open, " 30%|### |");
    }

    #[test]
    fn broken_sequences_swallow_no_line() {
        let (lines, _) = clean(b"\x1b]0;title without end\nnext\n\x1b[12\nlast\n");
        assert_eq!(lines, ["", "next", "", "last"]);
        let (lines, _) = clean(b"a\x00b\xffc\td\n");
        assert_eq!(lines, ["ab\u{fffd}c    d"]);
    }

    #[test]
    fn a_line_without_end_stays_bounded() {
        let (_, open) = clean(&b"x".repeat(1 << 20));
        assert_eq!(open.len(), LONGEST);
    }

    proptest! {
        #[test]
        fn any_cut_of_the_bytes_gives_the_same_lines(
            bytes in proptest::collection::vec(prop_oneof![Just(0x1b_u8), Just(b'['), Just(b'\r'), Just(b'\n'), any::<u8>()], 0..200),
            cut in 0_usize..200,
        ) {
            let (head, tail) = bytes.split_at(cut.min(bytes.len()));
            let mut cleaner = Cleaner::default();
            let mut lines = Vec::new();
            cleaner.feed(head, &mut lines);
            cleaner.feed(tail, &mut lines);
            prop_assert_eq!((lines, cleaner.open_line()), clean(&bytes));
        }
    }
}
