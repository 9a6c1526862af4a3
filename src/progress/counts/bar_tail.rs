//! The text behind a bar: elapsed and remaining time, speed, and the values that the program puts there.

use std::time::Duration;

use crate::progress::text::find::find;
use crate::progress::text::number::{leading_f64, leading_u64, length_of_number};

/// The text behind the count of a bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail<'a> {
    /// `02:22<00:33, 33.92s/it, success=17.5%`, from between brackets.
    Brackets {
        /// Everything behind `[`, up to `]` where it is there.
        text: &'a [u8],
        /// `]` is there; a bar cut to the width of the terminal ends without it.
        closed: bool,
    },
    /// ` 2.7it/s 3:40<38:10` or ` 0:00:12`, to the end of the line.
    Plain(&'a [u8]),
    /// Nothing that can be read.
    None,
}

/// A `name=value` of a postfix whose value is a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Postfix<'a> {
    /// The name as the program writes it.
    pub name: &'a [u8],
    /// The value as the program writes it: of `17.5%` it is 17.5.
    pub value: f64,
    /// Whether a percent sign follows the number.
    pub is_percentage: bool,
}

impl<'a> Tail<'a> {
    /// Returns the tail in the brackets at the start of the text; they must begin with a time.
    pub(super) fn in_brackets(text: &'a [u8]) -> Self {
        let Some(text) = text.trim_ascii_start().strip_prefix(b"[") else { return Self::None };
        // The character after the first time distinguishes it from the time of day of a log line. It is checked before
        // the closing bracket is searched for, which may be far away: a line may hold nothing but opening brackets.
        match time(text) {
            Some((_, rest)) if matches!(rest.first(), None | Some(b'<' | b',' | b']')) => {
                let closing = memchr::memchr(b']', text);
                Self::Brackets { text: &text[..closing.unwrap_or(text.len())], closed: closing.is_some() }
            }
            Some(_) | None => Self::None,
        }
    }

    pub(super) fn plain(text: &'a [u8]) -> Self {
        Self::Plain(text.trim_ascii())
    }

    /// Its speed is in bytes.
    pub(super) fn counts_bytes(self) -> bool {
        let speed = match self {
            Self::Brackets { .. } | Self::Plain(_) => self.speed(),
            Self::None => return false,
        };
        speed.windows(3).any(|three| three == b"B/s")
    }

    /// Time since the bar began.
    pub fn elapsed(self) -> Option<Duration> {
        self.times().and_then(|text| time(text)).map(|(elapsed, _)| elapsed)
    }

    /// Time left, as the program estimates it; unknown at the start.
    pub fn remaining(self) -> Option<Duration> {
        let (_, rest) = time(self.times()?)?;
        time(rest.strip_prefix(b"<")?).map(|(remaining, _)| remaining)
    }

    /// Steps per second; unknown at the start.
    pub fn rate(self) -> Option<f64> {
        let text = self.speed().trim_ascii();
        let value = leading_f64(text).filter(|value| value.is_finite() && *value > 0.0)?;
        let number = length_of_number(text);
        let unit = &text[number..];
        if unit.starts_with(b"s/") {
            return Some(1.0 / value);
        }
        let factor = match unit {
            [b'k' | b'K', more, ..] if *more != b'/' => 1e3,
            // A unit that begins so is spelled in lower case: `Mit/s`, `1.2GB/s`.
            [b'M', more, ..] if *more != b'/' => 1e6,
            [b'G', more, ..] if *more != b'/' => 1e9,
            _ => 1.0,
        };
        find(unit, b"/s").map(|_| value * factor)
    }

    /// The values behind times and speed, in their order; texts, fractions and values that may be cut off are left
    /// out.
    pub fn postfix(self) -> impl Iterator<Item = Postfix<'a>> {
        let (text, closed): (&[u8], bool) = match self {
            Self::Brackets { text, closed } => (text, closed),
            Self::Plain(_) | Self::None => (&[], true),
        };
        let mut fields = text.split(|byte| *byte == b',').skip(2).peekable();
        let mut torn = false;
        let values = std::iter::from_fn(move || {
            let field = fields.next().filter(|_| !torn)?;
            let Some((value, rest)) = pair(field) else { return Some(None) };
            let clean = (closed || fields.peek().is_some()) && matches!(rest, b"" | b"%");
            // What follows a value that something is glued to belongs to something else.
            torn = !closed && !clean;
            // A torn number may lack digits, unless a percent sign ends it.
            Some(Some(value).filter(|value| clean || torn && value.is_percentage))
        });
        values.flatten()
    }

    fn times(self) -> Option<&'a [u8]> {
        match self {
            Self::Brackets { text, .. } => Some(text),
            // Only with `<` it is certain which of the times is which.
            Self::Plain(text) => {
                let mut words = text.split(|byte| *byte == b' ');
                words.find(|word| memchr::memchr(b'<', word).is_some())
            }
            Self::None => None,
        }
    }

    fn speed(self) -> &'a [u8] {
        match self {
            Self::Brackets { text, .. } => text.split(|byte| *byte == b',').nth(1).unwrap_or_default(),
            Self::Plain(text) => {
                let mut words = text.split(|byte| *byte == b' ');
                words.find(|word| memchr::memchr(b'/', word).is_some()).unwrap_or_default()
            }
            Self::None => &[],
        }
    }
}

/// Reads `loss=0.69` and returns it with the text after its number.
fn pair(field: &[u8]) -> Option<(Postfix<'_>, &[u8])> {
    let equals = memchr::memchr(b'=', field)?;
    let (name, text) = (field[..equals].trim_ascii(), field[equals + 1..].trim_ascii());
    let length = match text {
        [b'n', b'a', b'n', ..] => 3,
        _ => text.iter().take_while(|byte| is_of_number(**byte)).count(),
    };
    let (number, rest) = text.split_at(length);
    let value = std::str::from_utf8(number).ok()?.parse().ok()?;
    (!name.is_empty()).then_some((Postfix { name, value, is_percentage: rest.starts_with(b"%") }, rest))
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E')
}

/// Reads `02:22`, `1:02:03` or `1.6s` and returns it with the text after it.
fn time(text: &[u8]) -> Option<(Duration, &[u8])> {
    let (mut seconds, mut rest) = leading_u64(text)?;
    if let [b'.', tenths @ b'0'..=b'9', b's', behind @ ..] = rest {
        return Some((
            Duration::from_secs(seconds) + Duration::from_millis(100) * u32::from(tenths - b'0'),
            behind,
        ));
    }
    let mut parts = 1;
    while let [b':', more @ ..] = rest {
        let Some((part, behind)) = leading_u64(more) else { break };
        seconds = seconds.checked_mul(60)?.checked_add(part)?;
        (rest, parts) = (behind, parts + 1);
    }
    (parts > 1).then_some((Duration::from_secs(seconds), rest))
}
