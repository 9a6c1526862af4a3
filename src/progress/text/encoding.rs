//! The encoding of a log, recognised by its first bytes: Windows PowerShell redirects output to UTF-16 files, notebook
//! services and containers write records of JSON.

use super::records::{Records, STARTS};

/// Makes UTF-8 of a log, whatever the cut of its bytes. One without a mark at its start stays as it is.
#[derive(Debug, Default)]
pub struct LogDecoder {
    state: LogEncoding,
    text: Vec<u8>,
}

#[derive(Debug, Default)]
enum LogEncoding {
    /// The bytes so far are the start of a mark.
    #[default]
    Start,
    /// Bytes pass as they are.
    Plain,
    Utf16(Units),
    Records(Records),
}

/// Code units of UTF-16 that may be cut anywhere.
#[derive(Debug)]
struct Units {
    unit: UnitOf,
    /// The first byte of a unit.
    half: Option<u8>,
    /// The first unit of a pair.
    high: Option<u16>,
}

/// Makes a unit of its two bytes.
type UnitOf = fn([u8; 2]) -> u16;

/// Byte order marks, with the order of the bytes that they indicate; none for UTF-8.
const MARKS: [(&[u8], Option<UnitOf>); 3] = [
    (b"\xef\xbb\xbf", None),
    (b"\xff\xfe", Some(u16::from_le_bytes)),
    (b"\xfe\xff", Some(u16::from_be_bytes)),
];

impl LogDecoder {
    /// Gives the text of the next bytes.
    pub fn feed<'a>(&'a mut self, bytes: &'a [u8]) -> &'a [u8] {
        let bytes = match self.state {
            LogEncoding::Plain => return bytes,
            LogEncoding::Utf16(_) | LogEncoding::Records(_) => bytes,
            LogEncoding::Start => match self.start(bytes) {
                Some(behind) => &bytes[behind..],
                None => return &[],
            },
        };
        match &mut self.state {
            LogEncoding::Utf16(units) => {
                self.text.clear();
                units.decode(bytes, &mut self.text);
            }
            LogEncoding::Records(records) => {
                self.text.clear();
                records.decode(bytes, &mut self.text);
            }
            // What was held back, because it could have been a mark, comes first.
            LogEncoding::Start | LogEncoding::Plain if self.text.is_empty() => return bytes,
            LogEncoding::Start | LogEncoding::Plain => self.text.extend_from_slice(bytes),
        }
        &self.text
    }

    /// Gives what is left at the end of the log: a cut mark or character is none.
    pub fn finish(&mut self) -> &[u8] {
        match &mut self.state {
            LogEncoding::Start => &self.text,
            LogEncoding::Plain => &[],
            LogEncoding::Utf16(units) => {
                self.text.clear();
                units.finish(&mut self.text);
                &self.text
            }
            LogEncoding::Records(records) => {
                self.text.clear();
                records.end_line(&mut self.text);
                &self.text
            }
        }
    }

    /// Looks for a mark; says how many of these bytes belong to one when that is settled.
    fn start(&mut self, bytes: &[u8]) -> Option<usize> {
        for (position, byte) in bytes.iter().enumerate() {
            self.text.push(*byte);
            if let Some((_, unit)) = MARKS.iter().find(|(mark, _)| *mark == self.text) {
                self.text.clear();
                self.state = match unit {
                    Some(unit) => LogEncoding::Utf16(Units { unit: *unit, half: None, high: None }),
                    None => LogEncoding::Plain,
                };
                return Some(position + 1);
            }
            if let Some((_, key)) = STARTS.iter().find(|(start, _)| *start == self.text) {
                self.state = LogEncoding::Records(Records::new(key, std::mem::take(&mut self.text)));
                return Some(position + 1);
            }
            let mut starts = MARKS.iter().map(|(mark, _)| *mark).chain(STARTS.map(|(start, _)| start));
            if !starts.any(|start| start.starts_with(&self.text)) {
                self.state = LogEncoding::Plain;
                return Some(position + 1);
            }
        }
        None
    }
}

impl Units {
    fn decode(&mut self, bytes: &[u8], text: &mut Vec<u8>) {
        for byte in bytes {
            match self.half.take() {
                None => self.half = Some(*byte),
                Some(half) => self.take((self.unit)([half, *byte]), text),
            }
        }
    }

    fn take(&mut self, unit: u16, text: &mut Vec<u8>) {
        const HIGH: std::ops::Range<u16> = 0xd800..0xdc00;
        let high = self.high.take();
        if HIGH.contains(&unit) {
            // It waits for its other half; one before it waited in vain.
            self.high = Some(unit);
            high.into_iter().for_each(|_| push(char::REPLACEMENT_CHARACTER, text));
            return;
        }
        for decoded in char::decode_utf16(high.into_iter().chain([unit])) {
            push(decoded.unwrap_or(char::REPLACEMENT_CHARACTER), text);
        }
    }

    fn finish(&mut self, text: &mut Vec<u8>) {
        let (high, half) = (self.high.take(), self.half.take());
        for _ in 0..u8::from(high.is_some()) + u8::from(half.is_some()) {
            push(char::REPLACEMENT_CHARACTER, text);
        }
    }
}

fn push(character: char, text: &mut Vec<u8>) {
    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, prop_oneof, proptest};

    use super::*;

    fn decoded(bytes: &[u8], size: usize) -> Vec<u8> {
        let mut decoder = LogDecoder::default();
        let mut text = Vec::new();
        for piece in bytes.chunks(size) {
            text.extend_from_slice(decoder.feed(piece));
        }
        text.extend_from_slice(decoder.finish());
        text
    }

    #[test]
    fn a_mark_tells_the_encoding_and_is_no_text() {
        assert_eq!(decoded(b"\xff\xfeE\0p\0\r\0\n\0", 3), b"Ep\r\n");
        assert_eq!(decoded(b"\xfe\xff\0E\0p\0\n", 2), b"Ep\n");
        assert_eq!(decoded(b"\xef\xbb\xbfEp\n", 2), b"Ep\n");
        assert_eq!(decoded(b"Ep\n\xff\xfe", 1), b"Ep\n\xff\xfe");
        assert_eq!(decoded(b"\xef\xbb", 1), b"\xef\xbb");
        assert_eq!(decoded(b"\xff\xfeE\0p", 8), "E\u{fffd}".as_bytes());
    }

    #[test]
    fn records_of_a_stream_are_the_text_in_them() {
        let kaggle = "[{\"stream_name\":\"stdout\",\"time\":7.4,\"data\":\"Epoch 1\\n\"}\n,{\"stream_name\":\"stderr\",\"time\":7.5,\"data\":\" 10%|\\u2588| 1/10\"}\n,{\"stream_name\":\"stderr\",\"time\":7.6,\"data\":\"\\r 20%\\n\"}\n]";
        let docker = "{\"log\":\"Epoch 1\\n\",\"stream\":\"stdout\",\"time\":\"2026-01-06T10:00:00Z\"}\nnot a record\n{\"log\":\"a \\\"b\\\"\\n\",\"stream\":\"stderr\",\"time\":\"2026\"}\n{\"log\":\"to";
        for size in [1, 3, 1000] {
            assert_eq!(
                String::from_utf8(decoded(kaggle.as_bytes(), size)).unwrap(),
                "Epoch 1\n 10%|\u{2588}| 1/10\r 20%\n"
            );
            let text = String::from_utf8(decoded(docker.as_bytes(), size)).unwrap();
            assert_eq!(text, "Epoch 1\nnot a record\na \"b\"\n{\"log\":\"to");
        }
        let record = "{\"log_dir\":\"a\"}\n";
        assert_eq!(decoded(record.as_bytes(), 2), record.as_bytes(), "a record of the program's own");
    }

    proptest! {
        #[test]
        fn every_cut_gives_the_same_text(
            units in proptest::collection::vec(prop_oneof![any::<u16>(), 0xd800_u16..0xe000, 0x20_u16..0x7f], 0..40),
            size in 1_usize..9,
        ) {
            let bytes: Vec<u8> = [0xfeff].iter().chain(&units).flat_map(|unit| unit.to_le_bytes()).collect();
            prop_assert_eq!(String::from_utf8(decoded(&bytes, size)).unwrap(), String::from_utf16_lossy(&units));
        }

        #[test]
        fn what_has_no_mark_stays_as_it_is(bytes in proptest::collection::vec(any::<u8>(), 0..40), size in 1_usize..9) {
            let plain = [b"a".as_slice(), &bytes].concat();
            prop_assert_eq!(decoded(&plain, size), plain);
        }
    }
}
