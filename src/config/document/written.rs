//! A word of a file with its place, for what is checked where the word has its meaning.

use std::ops::Range;

/// Word of the file and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpannedWord {
    /// Word as it is in the file.
    pub text: String,
    /// Its bytes in the file.
    pub span: Range<usize>,
}
