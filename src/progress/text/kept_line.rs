//! A line as it was written to the log, kept until its text is asked for: most lines are never made text.

use crate::model::outcome::Proof;
use crate::progress::reading::shorten;

/// Number of bytes of a line that are kept for messages.
const KEPT: usize = 1024;

/// The newest line of its kind.
#[derive(Debug, Default)]
pub struct KeptLine {
    number: u64,
    offset: u64,
    text: Vec<u8>,
}

impl KeptLine {
    /// Keeps this one in place of the one before.
    pub fn keep(&mut self, number: u64, offset: u64, text: &[u8]) {
        (self.number, self.offset) = (number, offset);
        self.text.clear();
        self.text.extend_from_slice(&text[..text.len().min(KEPT)]);
    }

    /// Reports whether the kept line begins at this offset.
    pub fn begins_at(&self, offset: u64) -> bool {
        self.number > 0 && self.offset == offset
    }

    /// Its number; 0 before the first one.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Its start as printable text.
    pub fn text(&self) -> String {
        shorten(&self.text)
    }

    /// The line as a proof; nothing before the first one.
    pub fn proof(&self) -> Option<Proof> {
        (self.number > 0).then(|| Proof { line: self.number, offset: self.offset, text: self.text() })
    }
}
