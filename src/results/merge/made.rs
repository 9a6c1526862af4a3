//! What a merge has made of its pieces.

/// A merged file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Made {
    /// Its text.
    pub text: String,
    /// What was left out or is odd, one line each.
    pub notes: Vec<String>,
}
