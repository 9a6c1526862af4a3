//! Raw terminal output made into clean lines: colours kept, other escapes removed, `\r` overwrites, tabs widened, lines
//! bounded.

use ratatui::style::Style;

use super::colours;

use crate::model::logs::escape::{ESCAPE, Escape, EscapeByte};
use crate::model::logs::printable::{cell_width, to_printable};
use crate::tui::model::logs::log_line::LogLine;

/// A longer line is cut: no one reads on, and a program that prints no newline must not eat the memory.
const LONGEST: usize = 4096;

/// Number of columns between the tab stops of a terminal, unless it is set up otherwise.
const TAB: usize = 8;

/// Turns bytes into lines, piece by piece.
#[derive(Debug, Default)]
pub struct Cleaner {
    line: Vec<u8>,
    /// From these bytes of the line on, these colours.
    colours: Vec<(usize, Style)>,
    /// The colours of what comes next. A line begins without any, because reading may begin at any line.
    style: Style,
    /// The control sequence so far; never longer than a sequence may be.
    parameters: Vec<u8>,
    /// Offset of the next byte in the file, and of the beginning of the line.
    position: u64,
    begin: u64,
    escape: Escape,
    /// A `\r` was seen: what comes next overwrites the line, unless it is the end of it.
    returned: bool,
    /// After the newest tab: bytes of the line and their cells, so that no cell is counted twice.
    tabbed: (usize, usize),
}

impl Cleaner {
    /// For bytes that begin at a place of the file, with a line.
    pub fn at_offset(offset: u64) -> Self {
        Self { position: offset, begin: offset, ..Self::default() }
    }

    /// Takes bytes; complete lines go to `lines`.
    pub fn feed(&mut self, bytes: &[u8], lines: &mut Vec<LogLine>) {
        for byte in bytes {
            self.position += 1;
            match self.escape {
                Escape::Outside => self.handle_byte(*byte, lines),
                Escape::Begun | Escape::Control(_) | Escape::String(_) => {
                    match self.escape.feed_byte(*byte) {
                        EscapeByte::Within if matches!(self.escape, Escape::Control(_)) => {
                            self.parameters.push(*byte)
                        }
                        EscapeByte::Within => {}
                        EscapeByte::Control(last) => self.apply_control(last),
                        EscapeByte::Broken => self.handle_byte(*byte, lines),
                    }
                }
            }
        }
    }

    /// The line that has no end yet; none at the start of a line.
    pub fn open_line(&self) -> Option<LogLine> {
        (!self.line.is_empty()).then(|| self.build_line())
    }

    /// Returns the offset at which the unfinished line begins.
    pub fn open_line_offset(&self) -> u64 {
        self.begin
    }

    /// The line so far, each part of one colour made printable by itself.
    fn build_line(&self) -> LogLine {
        let mut text =
            clean_text(&self.line[..self.colours.first().map_or(self.line.len(), |(from, _)| *from)]);
        let mut colours = Vec::with_capacity(self.colours.len());
        for (number, (from, style)) in self.colours.iter().enumerate() {
            let until = self.colours.get(number + 1).map_or(self.line.len(), |(until, _)| *until);
            colours.push((text.len(), *style));
            text.push_str(&clean_text(&self.line[*from..until]));
        }
        LogLine { offset: self.begin, end: self.position, at: None, text, colours }
    }

    fn apply_control(&mut self, last: u8) {
        if last == b'm' {
            self.style = colours::apply_sgr(self.style, &self.parameters);
        }
    }

    fn handle_byte(&mut self, byte: u8, lines: &mut Vec<LogLine>) {
        match byte {
            b'\n' => {
                lines.push(self.build_line());
                self.clear_line();
                self.begin = self.position;
                self.style = Style::new();
            }
            b'\r' => self.returned = true,
            ESCAPE => {
                self.parameters.clear();
                self.escape = Escape::Begun;
            }
            0x08 => self.erase_last(),
            b'\t' => self.push_tab(),
            0x00..0x20 | 0x7f => {}
            _ => self.push_byte(byte),
        }
    }

    fn push_byte(&mut self, byte: u8) {
        if self.returned {
            self.clear_line();
        }
        if self.line.len() < LONGEST {
            let last = self.colours.last().map(|(_, style)| *style).unwrap_or_default();
            if last != self.style {
                self.colours.push((self.line.len(), self.style));
            }
            self.line.push(byte);
        }
    }

    /// Takes the last character off.
    fn erase_last(&mut self) {
        let mut erased = self.line.pop();
        while erased.is_some_and(|byte| byte & 0xc0 == 0x80) {
            erased = self.line.pop();
        }
        while self.colours.last().is_some_and(|(from, _)| *from > self.line.len()) {
            self.colours.pop();
        }
        let (bytes, cells) = self.tabbed;
        if self.line.len() < bytes {
            // The blanks of a tab go one by one.
            self.tabbed = if erased == Some(b' ') { (self.line.len(), cells - 1) } else { (0, 0) };
        }
    }

    fn push_tab(&mut self) {
        let (bytes, cells) = if self.returned { (0, 0) } else { self.tabbed };
        let behind = if self.returned { &[] } else { &self.line[bytes..] };
        let column = cells + cell_width(&clean_text(behind));
        let blanks = TAB - column % TAB;
        (0..blanks).for_each(|_| self.push_byte(b' '));
        self.tabbed = (self.line.len(), column + blanks);
    }

    fn clear_line(&mut self) {
        self.line.clear();
        self.colours.clear();
        self.returned = false;
        self.tabbed = (0, 0);
    }
}

fn clean_text(line: &[u8]) -> String {
    to_printable(&String::from_utf8_lossy(line)).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::style::{Color, Modifier};

    use super::*;

    fn clean_all(bytes: &[u8]) -> (Vec<String>, String) {
        let mut cleaner = Cleaner::default();
        let mut lines = Vec::new();
        cleaner.feed(bytes, &mut lines);
        let open = cleaner.open_line().map(|line| line.text).unwrap_or_default();
        (lines.into_iter().map(|line| line.text).collect(), open)
    }

    #[test]
    fn colours_are_kept_where_they_were_and_lines_know_their_place() {
        let mut cleaner = Cleaner::at_offset(100);
        let mut lines = Vec::new();
        cleaner.feed("a\x1b[1;31mé\u{200b}d\x1b[0m b\x1b[32m\nnext\n".as_bytes(), &mut lines);
        let red = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
        assert_eq!(lines[0].text, "aéd b");
        assert_eq!(lines[0].colours, [(1, red), (4, Style::new())]);
        assert_eq!(lines[1].colours, [], "a line begins without colours");
        assert_eq!(
            (lines[0].offset, lines[0].end, lines[1].offset),
            (100, lines[1].offset, lines[1].end - 5)
        );
    }

    #[test]
    fn an_overwritten_line_loses_its_old_colours() {
        let mut cleaner = Cleaner::default();
        let mut lines = Vec::new();
        cleaner.feed(b"\x1b[31m10%\x1b[0m\r20%\n", &mut lines);
        assert_eq!((lines[0].text.as_str(), lines[0].colours.len()), ("20%", 0));
    }

    #[test]
    fn progress_bars_collapse_and_escapes_vanish() {
        let (lines, open) = clean_all(b"\x1b[31mred\x1b[0m\r\n 10%|#   |\r 20%|##  |\r\n 30%|### |\r");
        assert_eq!(lines, ["red", " 20%|##  |"]);
        assert_eq!(open, " 30%|### |");
    }

    #[test]
    fn broken_sequences_swallow_no_line() {
        let (lines, _) = clean_all(b"\x1b]0;title without end\nnext\n\x1b[12\nlast\n");
        assert_eq!(lines, ["", "next", "", "last"]);
        let (lines, _) = clean_all(b"a\x00b\xffc\td\n");
        assert_eq!(lines, ["ab\u{fffd}c    d"]);
        let (lines, _) = clean_all(b"a\x1b\nb\x1b\x1b[31mc\n");
        assert_eq!(lines, ["a", "bc"]);
    }

    #[test]
    fn columns_are_kept_by_cells_not_by_bytes() {
        let (lines, _) = clean_all("é\tx\n評価\tx\nab\t評\tx\nécho\x08\x08\x08\x08a\n1\r\tx\n".as_bytes());
        assert_eq!(lines, ["é       x", "評価    x", "ab      評      x", "a", "        x"]);
    }

    #[test]
    fn what_commands_a_terminal_is_not_there() {
        let (lines, _) = clean_all("\u{9b}2Ja\u{202e}b\u{200b}c\x1b[201~\x1b]52;c;aGk=\x07d\n".as_bytes());
        assert_eq!(lines, ["2Jabcd"]);
    }

    #[test]
    fn a_line_without_end_stays_bounded() {
        let (_, open) = clean_all(&b"x".repeat(1 << 20));
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
            let open = cleaner.open_line();
            let mut whole = Cleaner::default();
            let mut wanted = Vec::new();
            whole.feed(&bytes, &mut wanted);
            prop_assert_eq!((lines, open), (wanted, whole.open_line()));
        }
    }
}
