//! A log as a terminal may show it: its colours and its overwritten lines, and nothing else that commands a terminal.

use unicode_width::UnicodeWidthChar;

use super::escape::{ESCAPE, Escape, EscapeByte};
use super::printable::{MOST_MARKS, is_hidden};

/// Sequence that ends all colours.
const RESET: &[u8] = b"\x1b[0m";

/// Cleans a stream piece by piece: the same comes out for every cut of the bytes.
#[derive(Debug, Default)]
pub struct Coloured {
    escape: Escape,
    /// The control sequence so far, without its introducer; never longer than a sequence may be.
    parameters: Vec<u8>,
    /// Text that may end within a character.
    text: Vec<u8>,
    /// Marks on the newest character.
    marks: usize,
    has_colours: bool,
}

impl Coloured {
    /// Takes the next bytes and appends what of them may be shown.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        for byte in bytes {
            match self.escape {
                Escape::Outside => self.push_text(*byte, out),
                Escape::Begun | Escape::Control(_) | Escape::String(_) => {
                    match self.escape.feed_byte(*byte) {
                        EscapeByte::Within if matches!(self.escape, Escape::Control(_)) => {
                            self.parameters.push(*byte)
                        }
                        EscapeByte::Within => {}
                        EscapeByte::Control(last) => self.write_control(last, out),
                        EscapeByte::Broken => self.push_text(*byte, out),
                    }
                }
            }
        }
        self.flush_text(false, out);
    }

    /// Takes the end of the stream; nothing it coloured colours what comes after it.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.flush_text(true, out);
        if self.has_colours {
            out.extend_from_slice(RESET);
        }
    }

    fn push_text(&mut self, byte: u8, out: &mut Vec<u8>) {
        if byte == ESCAPE {
            self.flush_text(true, out);
            self.parameters.clear();
            self.escape = Escape::Begun;
        } else {
            self.text.push(byte);
        }
    }

    /// Passes on colours, and the clearing of a line that begins again; only with plain numbers, because with other
    /// signs both letters do other things.
    fn write_control(&mut self, last: u8, out: &mut Vec<u8>) {
        // The first one is the bracket.
        let numbers = self.parameters.get(1..).unwrap_or_default();
        let harmless = matches!(last, b'm' | b'K')
            && numbers.iter().all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':'));
        if harmless {
            out.extend_from_slice(b"\x1b[");
            out.extend_from_slice(numbers);
            out.push(last);
            self.has_colours |= last == b'm';
        }
    }

    /// Shows the text so far. Its last bytes may be the start of a character, unless nothing follows.
    fn flush_text(&mut self, is_end: bool, out: &mut Vec<u8>) {
        let whole = self.text.len() - if is_end { 0 } else { incomplete_suffix_len(&self.text) };
        for c in String::from_utf8_lossy(&self.text[..whole]).chars() {
            self.marks = if c.width() == Some(0) { self.marks + 1 } else { 0 };
            if matches!(c, '\n' | '\r' | '\t') || !is_hidden(c) && self.marks <= MOST_MARKS {
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        self.text.drain(..whole);
    }
}

/// Number of bytes at the end that are the start of a character.
fn incomplete_suffix_len(text: &[u8]) -> usize {
    // An incomplete character has three bytes at most.
    let end =
        text[text.len().saturating_sub(3)..].utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    match std::str::from_utf8(end) {
        Err(error) if error.error_len().is_none() => end.len(),
        Ok(_) | Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};

    use super::*;

    fn shown<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
        let mut coloured = Coloured::default();
        let mut out = Vec::new();
        for piece in pieces {
            coloured.feed(piece, &mut out);
        }
        coloured.finish(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn colours_stay_and_commands_go() {
        assert_eq!(
            shown([b"\x1b[1;31mred\x1b[m\r\x1b[K 50%|".as_slice()]),
            "\x1b[1;31mred\x1b[m\r\x1b[K 50%|\x1b[0m"
        );
        let hostile = b"\x1b]52;c;aGk=\x07\x1b]0;owned\x1b\\\x1b[201~\x1b[2J\x1b[3A\x1b[>4m\x1b[?1mtext\x08\x07\xc2\x9b5m";
        assert_eq!(shown([hostile.as_slice()]), "text5m");
    }

    #[test]
    fn text_stays_as_it_is() {
        let text = "Épisode 3\t評価\r\n█▉ 50%|\n";
        assert_eq!(shown(text.as_bytes().chunks(1)), text);
        assert_eq!(shown([b"torn \xe2\x96".as_slice()]), "torn \u{fffd}");
        assert_eq!(shown([b"\xff\xfeok".as_slice()]), "\u{fffd}\u{fffd}ok");
    }

    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let pieces = prop_oneof![
            Just(b"\x1b[1;3".to_vec()),
            Just(b"m\x1b".to_vec()),
            Just(b"\x1b]0;".to_vec()),
            Just("é評\u{301}\u{202e}".as_bytes().to_vec()),
            proptest::collection::vec(any::<u8>(), 0..6),
        ];
        proptest::collection::vec(pieces, 0..30).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn every_cut_shows_the_same_and_only_colours_command(bytes in stream(), size in 1_usize..9) {
            let whole = shown([bytes.as_slice()]);
            prop_assert_eq!(&shown(bytes.chunks(size)), &whole);
            for behind in whole.split('\x1b').skip(1) {
                let end = behind.find(|c: char| c.is_ascii_alphabetic()).unwrap();
                prop_assert!(behind.starts_with('[') && matches!(&behind[end..=end], "m" | "K"), "{:?}", behind);
            }
            prop_assert!(!whole.contains(|c: char| is_hidden(c) && !matches!(c, '\n' | '\r' | '\t' | '\x1b')));
        }
    }
}
