//! Escape sequences in a stream of bytes: where one begins, what its last byte does, and where it was broken off.

/// A control sequence longer than this is none; what follows is read as text again.
const SEQUENCE_LIMIT: usize = 64;

/// Titles, hyperlinks and the like; some terminals put whole images there.
const STRING_LIMIT: usize = 4096;

/// The byte that begins a sequence.
pub const ESCAPE: u8 = 0x1b;

/// Position of a stream relative to an escape sequence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Escape {
    /// Outside of any sequence, in plain text.
    #[default]
    Outside,
    /// After ESC and its intermediate bytes.
    Begun,
    /// In `ESC [ …`; so many bytes may still come.
    Control(usize),
    /// In a string up to BEL or `ESC \`; so many bytes may still come.
    String(usize),
}

/// Role of a byte in a sequence that has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EscapeByte {
    /// The byte belongs to the sequence.
    Within,
    /// The byte ends a control sequence, which decides what the sequence does.
    Control(u8),
    /// The byte does not belong to the sequence, which was broken off: it is text or begins another one.
    Broken,
}

impl Escape {
    /// Takes the next byte after ESC; must not be called outside a sequence.
    pub fn feed_byte(&mut self, byte: u8) -> EscapeByte {
        let (next, step) = match *self {
            Self::Outside => (Self::Outside, EscapeByte::Broken),
            Self::Begun => step_escape(byte),
            Self::Control(left) => step_control(byte, left),
            Self::String(left) => step_string(byte, left),
        };
        *self = next;
        step
    }
}

fn step_escape(byte: u8) -> (Escape, EscapeByte) {
    match byte {
        b'[' => (Escape::Control(SEQUENCE_LIMIT), EscapeByte::Within),
        b']' | b'P' | b'X' | b'^' | b'_' => (Escape::String(STRING_LIMIT), EscapeByte::Within),
        // Intermediate bytes, as in `ESC ( B`.
        0x20..=0x2f => (Escape::Begun, EscapeByte::Within),
        0x00..=0x1f | 0x7f => (Escape::Outside, EscapeByte::Broken),
        _ => (Escape::Outside, EscapeByte::Within),
    }
}

fn step_control(byte: u8, left: usize) -> (Escape, EscapeByte) {
    match byte {
        0x20..=0x3f if left > 0 => (Escape::Control(left - 1), EscapeByte::Within),
        0x40..=0x7e => (Escape::Outside, EscapeByte::Control(byte)),
        _ => (Escape::Outside, EscapeByte::Broken),
    }
}

fn step_string(byte: u8, left: usize) -> (Escape, EscapeByte) {
    match byte {
        0x07 => (Escape::Outside, EscapeByte::Within),
        // Only a backslash may follow, which `Begun` takes as a sequence of its own.
        ESCAPE => (Escape::Begun, EscapeByte::Within),
        // No real string spans lines; one that was cut off must not swallow the log.
        b'\n' => (Escape::Outside, EscapeByte::Broken),
        _ if left == 0 => (Escape::Outside, EscapeByte::Within),
        _ => (Escape::String(left - 1), EscapeByte::Within),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that are text, and the final bytes of the control sequences.
    fn split(bytes: &[u8]) -> (String, String) {
        let (mut text, mut controls) = (Vec::new(), String::new());
        let mut escape = Escape::default();
        for byte in bytes {
            let step = if escape == Escape::Outside { EscapeByte::Broken } else { escape.feed_byte(*byte) };
            match step {
                EscapeByte::Within => {}
                EscapeByte::Control(last) => controls.push(char::from(last)),
                EscapeByte::Broken if *byte == ESCAPE => escape = Escape::Begun,
                EscapeByte::Broken => text.push(*byte),
            }
        }
        (String::from_utf8_lossy(&text).into_owned(), controls)
    }

    #[test]
    fn sequences_are_told_from_text() {
        assert_eq!(split(b"\x1b[1;31mred\x1b[0m\x1b(B text"), ("red text".into(), "mm".into()));
        assert_eq!(split(b"\x1b]0;title\x07a \x1b]8;;http://x\x1b\\b"), ("a b".into(), String::new()));
        assert_eq!(split(b"\x1bPimage\x1b\\a\x1b^private\x1b\\b\x1bMc"), ("abc".into(), String::new()));
    }

    #[test]
    fn a_broken_sequence_gives_back_what_follows() {
        assert_eq!(split(b"\x1b]0;never closed\nnext"), ("\nnext".into(), String::new()));
        assert_eq!(split(b"\x1b[12\nnext"), ("\nnext".into(), String::new()));
        assert_eq!(split(b"\x1b\x1b[Ka"), ("a".into(), "K".into()));
        let endless = [b"\x1b]".as_slice(), &[b'x'; 2 * STRING_LIMIT]].concat();
        assert_eq!(split(&endless).0.len(), STRING_LIMIT - 1);
    }
}
