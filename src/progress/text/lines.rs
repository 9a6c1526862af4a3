//! Bytes of a terminal to plain lines: carriage returns and cursor movements end a line, escape sequences vanish.
//!
//! The same lines come out for every cut of the bytes, and no input makes the kept text grow beyond
//! [`LINE_LIMIT`].

use memchr::memchr3;

use crate::model::logs::escape::{ESCAPE, Escape, EscapeByte};

/// Longer lines are cut here: nothing a program says about its progress comes after 64 KiB of one line.
pub const LINE_LIMIT: usize = 64 * 1024;

/// A single line without its end and without escape sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlainLine<'a> {
    /// Offset in the stream at which it begins.
    pub offset: u64,
    /// The 1-based number of the line, counting newlines only: a progress bar keeps its number.
    pub number: u64,
    /// Its text; not always UTF-8.
    pub text: &'a [u8],
}

/// Turns pieces of a stream into lines.
#[derive(Debug)]
pub struct LineReducer {
    start: u64,
    offset: u64,
    number: u64,
    text: Vec<u8>,
    escape: Escape,
}

impl Default for LineReducer {
    fn default() -> Self {
        Self { start: 0, offset: 0, number: 1, text: Vec::new(), escape: Escape::Outside }
    }
}

impl LineReducer {
    /// Takes the next bytes and gives every line that ends in them; empty lines are left out.
    pub fn feed(&mut self, bytes: &[u8], mut sink: impl FnMut(PlainLine<'_>)) {
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            let used = match self.escape {
                Escape::Outside => self.take_text(rest, &mut sink),
                Escape::Begun | Escape::Control(_) | Escape::String(_) => {
                    self.take_sequence(*first, &mut sink)
                }
            };
            self.offset += used as u64;
            rest = &rest[used..];
        }
    }

    /// Gives what is left at the end of the stream.
    pub fn finish(&mut self, mut sink: impl FnMut(PlainLine<'_>)) {
        self.end_line(&[], 0, &mut sink);
    }

    /// Returns the line that has not ended yet, such as a bar that is still being drawn.
    pub fn unfinished(&self) -> PlainLine<'_> {
        PlainLine { offset: self.start, number: self.number, text: &self.text }
    }

    fn take_text(&mut self, rest: &[u8], sink: &mut impl FnMut(PlainLine<'_>)) -> usize {
        let Some(at) = memchr3(b'\n', b'\r', ESCAPE, rest) else {
            self.keep(rest);
            return rest.len();
        };
        if rest[at] == ESCAPE {
            self.keep(&rest[..at]);
            self.escape = Escape::Begun;
        } else {
            self.end_line(&rest[..at], at + 1, sink);
            self.number += u64::from(rest[at] == b'\n');
        }
        at + 1
    }

    fn take_sequence(&mut self, byte: u8, sink: &mut impl FnMut(PlainLine<'_>)) -> usize {
        match self.escape.feed_byte(byte) {
            EscapeByte::Within => 1,
            EscapeByte::Control(last) => {
                if moves_to_other_text(last) {
                    self.end_line(&[], 1, sink);
                }
                1
            }
            EscapeByte::Broken => 0,
        }
    }

    fn keep(&mut self, piece: &[u8]) {
        let room = LINE_LIMIT - self.text.len();
        self.text.extend_from_slice(&piece[..piece.len().min(room)]);
    }

    /// Ends the line with `piece`; the next one begins `used` bytes behind what was taken before.
    fn end_line(&mut self, piece: &[u8], used: usize, sink: &mut impl FnMut(PlainLine<'_>)) {
        // A line that lies in one piece is given without being copied.
        let text = if self.text.is_empty() {
            &piece[..piece.len().min(LINE_LIMIT)]
        } else {
            self.keep(piece);
            self.text.as_slice()
        };
        if !text.is_empty() {
            sink(PlainLine { offset: self.start, number: self.number, text });
        }
        self.text.clear();
        self.start = self.offset + used as u64;
    }
}

/// Cursor up, down, next, previous, absolute and clear screen: what comes next is not a continuation of this line.
fn moves_to_other_text(last: u8) -> bool {
    matches!(last, b'A' | b'B' | b'E' | b'F' | b'G' | b'H' | b'J' | b'd' | b'f')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof, proptest};

    use super::*;

    fn lines(pieces: &[&[u8]]) -> Vec<(u64, u64, String)> {
        let mut reducer = LineReducer::default();
        let mut found = Vec::new();
        let mut keep = |line: PlainLine<'_>| {
            found.push((line.offset, line.number, String::from_utf8_lossy(line.text).into_owned()));
        };
        for piece in pieces {
            reducer.feed(piece, &mut keep);
        }
        reducer.finish(&mut keep);
        found
    }

    fn texts(bytes: &[u8]) -> Vec<String> {
        lines(&[bytes]).into_iter().map(|(_, _, text)| text).collect()
    }

    #[test]
    fn a_carriage_return_ends_a_line_but_not_its_number() {
        let found = lines(&[b"a\r\n 50%|\r100%|\r\n\nb"]);
        let expected = [(0, 1, "a"), (3, 2, " 50%|"), (9, 2, "100%|"), (17, 4, "b")];
        assert_eq!(found, expected.map(|(offset, number, text)| (offset, number, text.to_owned())));
    }

    #[test]
    fn escape_sequences_vanish() {
        assert_eq!(texts(b"\x1b[1;31mred\x1b[0m\x1b(B text\n"), ["red text"]);
        assert_eq!(texts(b"\x1b]0;title\x07a \x1b]8;;http://x\x1b\\b\n"), ["a b"]);
        assert_eq!(texts(b"outer\ninner\x1b[Aouter again\x1b[K\n"), ["outer", "inner", "outer again"]);
    }

    #[test]
    fn an_unterminated_sequence_does_not_swallow_the_log() {
        assert_eq!(texts(b"a\x1b]0;never closed\nnext\n"), ["a", "next"]);
        assert_eq!(texts(b"a\x1b[12\nnext\n"), ["a", "next"]);
        let long = [b"\x1b[".as_slice(), &[b'1'; 500], b"m\nnext\n"].concat();
        assert_eq!(texts(&long).last().map(String::as_str), Some("next"));
    }

    #[test]
    fn a_line_without_end_is_cut_and_stays_bounded() {
        let mut reducer = LineReducer::default();
        for _ in 0..100 {
            reducer.feed(&[b'x'; 10_000], |_| panic!("no line ends"));
        }
        assert!(reducer.text.capacity() <= 2 * LINE_LIMIT);
        let mut length = 0;
        reducer.feed(b"\n", |line| length = line.text.len());
        assert_eq!(length, LINE_LIMIT);
        assert_eq!(texts(&[b'x'; 3 * LINE_LIMIT])[0].len(), LINE_LIMIT);
    }

    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let pieces = prop_oneof![
            Just(b"\r\n".to_vec()),
            Just(b"\r".to_vec()),
            Just(b"\n".to_vec()),
            Just(b"\x1b[1m".to_vec()),
            Just(b"\x1b[A".to_vec()),
            Just(b"\x1b".to_vec()),
            Just(b"\x1b]0;t\x07".to_vec()),
            Just(b"\x1b]0;t\x1b\\".to_vec()),
            proptest::collection::vec(any::<u8>(), 0..6),
            "[a-z ]{0,8}".prop_map(String::into_bytes),
        ];
        proptest::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn every_cut_of_the_bytes_gives_the_same_lines(bytes in stream(), size in 1_usize..9) {
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            prop_assert_eq!(lines(&pieces), lines(&[&bytes]));
        }
    }
}
