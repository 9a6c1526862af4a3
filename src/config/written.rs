//! A word of a file with its place, for what is checked where the word has its meaning.

use std::ops::Range;

/// A word of the file and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The word.
    pub text: String,
    /// Its bytes in the file.
    pub span: Range<usize>,
}
