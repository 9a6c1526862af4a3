//! What a merge has made of its pieces.

/// A merged file, not yet written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Made {
    /// Text of the whole file.
    pub text: String,
    /// Remarks on what was left out or is odd, one line each.
    pub notes: Vec<String>,
}
