//! The last lines of a log, for what only its end can say.

use super::lines::LineReducer;

/// Number of bytes at the end that are kept.
const KEPT: usize = 8 * 1024;

/// The newest bytes of a log.
#[derive(Debug, Default)]
pub struct LogTail {
    bytes: Vec<u8>,
    /// Number of bytes before the kept ones.
    before: u64,
}

/// One of the last lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastLine {
    /// Offset in the log at which it begins.
    pub offset: u64,
    /// Its 1-based number.
    pub number: u64,
    /// Its text, without control sequences.
    pub text: String,
}

impl LogTail {
    /// Takes the next bytes: the same ones are kept for every cut of them.
    pub fn take(&mut self, bytes: &[u8]) {
        let more = (self.bytes.len() + bytes.len()).saturating_sub(KEPT);
        let kept = &bytes[more.saturating_sub(self.bytes.len())..];
        self.bytes.drain(..more.min(self.bytes.len()));
        self.bytes.extend_from_slice(kept);
        self.before += more as u64;
    }

    /// Returns the whole lines among the kept bytes that are not blank; `number` is that of the last line of the log.
    /// A bar that is drawn again counts as its newest drawing.
    pub fn lines(&self, number: u64) -> Vec<LastLine> {
        let newlines = memchr::memchr_iter(b'\n', &self.bytes).count() as u64;
        let first = number.saturating_sub(newlines);
        let mut reducer = LineReducer::default();
        let mut lines: Vec<LastLine> = Vec::new();
        let mut keep = |line: super::lines::PlainLine<'_>| {
            let number = first + line.number - 1;
            // The first one may have lost its start.
            if line.text.trim_ascii().is_empty() || line.offset == 0 && self.before > 0 {
                return;
            }
            lines.pop_if(|before| before.number == number);
            let text = String::from_utf8_lossy(line.text).into_owned();
            lines.push(LastLine { offset: self.before + line.offset, number, text });
        };
        reducer.feed(&self.bytes, &mut keep);
        reducer.finish(&mut keep);
        lines
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    fn tail(pieces: &[&[u8]]) -> LogTail {
        let mut tail = LogTail::default();
        pieces.iter().for_each(|piece| tail.take(piece));
        tail
    }

    #[test]
    fn last_lines_have_their_numbers_and_places() {
        let long = vec![b'x'; KEPT];
        let tail = tail(&[&long, b"\nfirst\n\n 50%|\r100%|\nlast"]);
        let found = tail.lines(5);
        let found: Vec<_> =
            found.iter().map(|line| (line.number, line.offset - KEPT as u64, line.text.as_str())).collect();
        assert_eq!(found, [(2, 1, "first"), (4, 14, "100%|"), (5, 20, "last")]);
    }

    proptest! {
        #[test]
        fn the_cut_of_the_bytes_makes_no_difference(lengths in proptest::collection::vec(0usize..6000, 1..6)) {
            let bytes: Vec<u8> = (0..lengths.iter().sum::<usize>()).map(|at| b"abcde\nfg"[at % 8]).collect();
            let mut rest = bytes.as_slice();
            let mut pieces = Vec::new();
            for length in lengths {
                let (piece, behind) = rest.split_at(length);
                pieces.push(piece);
                rest = behind;
            }
            prop_assert_eq!(tail(&pieces).lines(9), tail(&[&bytes]).lines(9));
        }
    }
}
