//! Bytes from the terminal become keys and pastes; a pure function of the bytes and of the pauses between them.

use std::time::Duration;

use ratatui::crossterm::event::Event as TerminalEvent;
use terminput::{Event, KeyCode};
use terminput_crossterm::to_crossterm;

const ESCAPE: u8 = 0x1b;

/// Begins a bracketed paste, which takes as long as the line needs.
const PASTE: &[u8] = b"\x1b[200~";

/// A lone escape byte is the key after this pause. A line that splits `ESC [ A` between two packets delivers them
/// closer together; people press Esc and the next key further apart.
const ESCAPE_PAUSE: Duration = Duration::from_millis(25);

/// Bytes that became no event within this time never will: Alt-[ looks like the start of a sequence, too.
const SEQUENCE_PAUSE: Duration = Duration::from_secs(1);

/// Decodes what a terminal sends, in whatever pieces it comes.
#[derive(Debug, Default)]
pub(super) struct InputDecoder {
    pending: Vec<u8>,
}

impl InputDecoder {
    /// Takes bytes in and returns the events that they complete.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<TerminalEvent> {
        bytes.iter().filter_map(|byte| self.push_byte(*byte)).collect()
    }

    /// How long to wait for the rest of what is pending; `None` waits without end.
    pub(super) fn pending_timeout(&self) -> Option<Duration> {
        match self.pending.as_slice() {
            [] => None,
            [ESCAPE] => Some(ESCAPE_PAUSE),
            pending if pending.starts_with(PASTE) => None,
            _ => Some(SEQUENCE_PAUSE),
        }
    }

    /// Ends what is pending after a pause of that length: a lone escape byte was the key, all else is dropped.
    pub(super) fn expire_pending(&mut self) -> Option<TerminalEvent> {
        let pending = std::mem::take(&mut self.pending);
        (pending == [ESCAPE]).then(escape_key)?
    }

    fn push_byte(&mut self, byte: u8) -> Option<TerminalEvent> {
        self.pending.push(byte);
        match self.pending.as_slice() {
            [ESCAPE] => None,
            // The first one was the key, the second one may begin a sequence.
            [ESCAPE, ESCAPE] => {
                self.pending.pop();
                escape_key()
            }
            pending => match Event::parse_from(pending) {
                Ok(None) => None,
                Ok(Some(event)) => {
                    self.pending.clear();
                    to_crossterm(event).ok()
                }
                Err(_) => {
                    self.pending.clear();
                    None
                }
            },
        }
    }
}

fn escape_key() -> Option<TerminalEvent> {
    to_crossterm(Event::Key(KeyCode::Esc.into())).ok()
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::{
        KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
    };

    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> TerminalEvent {
        TerminalEvent::Key(KeyEvent::new(code, modifiers))
    }

    fn plain(code: KeyCode) -> TerminalEvent {
        key(code, KeyModifiers::NONE)
    }

    #[test]
    fn keys_of_every_kind_are_known() {
        let mut decoder = InputDecoder::default();
        for (bytes, event) in [
            (&b"j"[..], plain(KeyCode::Char('j'))),
            (b"G", key(KeyCode::Char('G'), KeyModifiers::SHIFT)),
            (b"\r", plain(KeyCode::Enter)),
            (b"\n", key(KeyCode::Char('j'), KeyModifiers::CONTROL)),
            (b"\t", plain(KeyCode::Tab)),
            (b"\x7f", plain(KeyCode::Backspace)),
            (b"\x03", key(KeyCode::Char('c'), KeyModifiers::CONTROL)),
            (b"\x1c", key(KeyCode::Char('4'), KeyModifiers::CONTROL)),
            (b"\0", key(KeyCode::Char(' '), KeyModifiers::CONTROL)),
            (b"\x1b[A", plain(KeyCode::Up)),
            (b"\x1bOB", plain(KeyCode::Down)),
            (b"\x1b[1;5C", key(KeyCode::Right, KeyModifiers::CONTROL)),
            (b"\x1b[5~", plain(KeyCode::PageUp)),
            (b"\x1b[6~", plain(KeyCode::PageDown)),
            (b"\x1b[H", plain(KeyCode::Home)),
            (b"\x1b[4~", plain(KeyCode::End)),
            (b"\x1b[2~", plain(KeyCode::Insert)),
            (b"\x1b[3~", plain(KeyCode::Delete)),
            (b"\x1b[Z", key(KeyCode::BackTab, KeyModifiers::SHIFT)),
            (b"\x1bOP", plain(KeyCode::F(1))),
            (b"\x1b[24~", plain(KeyCode::F(12))),
            (b"\x1bx", key(KeyCode::Char('x'), KeyModifiers::ALT)),
            ("é".as_bytes(), plain(KeyCode::Char('é'))),
            ("字".as_bytes(), plain(KeyCode::Char('字'))),
            (b"\x1b[200~a\x1b[A\n\x1b[201~", TerminalEvent::Paste("a\x1b[A\n".to_owned())),
        ] {
            assert_eq!(decoder.feed(bytes), [event], "{}", bytes.escape_ascii());
            assert_eq!(decoder.pending_timeout(), None, "{} is whole", bytes.escape_ascii());
        }
    }

    #[test]
    fn the_mouse_is_known_by_its_place_from_the_upper_left_corner() {
        let event = |kind| {
            TerminalEvent::Mouse(MouseEvent { kind, column: 9, row: 4, modifiers: KeyModifiers::NONE })
        };
        for (bytes, kind) in [
            (&b"\x1b[<0;10;5M"[..], MouseEventKind::Down(MouseButton::Left)),
            (b"\x1b[<0;10;5m", MouseEventKind::Up(MouseButton::Left)),
            (b"\x1b[<64;10;5M", MouseEventKind::ScrollUp),
            (b"\x1b[<65;10;5M", MouseEventKind::ScrollDown),
        ] {
            assert_eq!(InputDecoder::default().feed(bytes), [event(kind)], "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn pieces_say_the_same_as_the_whole() {
        let bytes = "j\x1b[A字\x1b[200~paste\x1b[201~\x1b[1;5C\x1bOPk".as_bytes();
        let whole = InputDecoder::default().feed(bytes);
        assert_eq!(whole.len(), 7);
        for cut in 0..bytes.len() {
            let mut decoder = InputDecoder::default();
            let mut events = decoder.feed(&bytes[..cut]);
            events.extend(decoder.feed(&bytes[cut..]));
            assert_eq!(events, whole, "cut at {cut}");
        }
    }

    #[test]
    fn a_lone_escape_byte_is_the_key_after_a_pause() {
        let mut decoder = InputDecoder::default();
        assert_eq!(decoder.feed(b"\x1b"), []);
        assert_eq!(decoder.pending_timeout(), Some(ESCAPE_PAUSE));
        assert_eq!(decoder.expire_pending(), Some(plain(KeyCode::Esc)));
        assert_eq!(decoder.feed(b"q"), [plain(KeyCode::Char('q'))]);
        assert_eq!(decoder.feed(b"\x1b\x1b[A"), [plain(KeyCode::Esc), plain(KeyCode::Up)]);
    }

    #[test]
    fn what_never_becomes_a_key_is_given_up() {
        let mut decoder = InputDecoder::default();
        for bytes in [&b"\x1b["[..], b"\x1bO", b"\x1b[1;", "字".as_bytes().get(..2).unwrap_or_default()] {
            assert_eq!(decoder.feed(bytes), [], "{}", bytes.escape_ascii());
            assert_eq!(decoder.pending_timeout(), Some(SEQUENCE_PAUSE), "{}", bytes.escape_ascii());
            assert_eq!(decoder.expire_pending(), None, "{}", bytes.escape_ascii());
            assert_eq!(decoder.feed(b"q"), [plain(KeyCode::Char('q'))]);
        }
        decoder.feed(b"\x1b[200~slow");
        assert_eq!(decoder.pending_timeout(), None, "a paste may take its time");
    }
}
