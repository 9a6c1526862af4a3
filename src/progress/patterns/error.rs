//! Why the patterns of a sweep cannot be used.

/// Why the patterns of a sweep cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PatternError {
    /// No preset has this name.
    #[error("[progress] preset: there is no preset `{name}`; use one of {known}")]
    UnknownPreset {
        /// The preset name as written in the sweep.
        name: String,
        /// Names that would have been valid.
        known: String,
    },
    /// Not a regular expression.
    #[error("{place}: `{pattern}` is not a regular expression: {error}")]
    Syntax {
        /// Position of the pattern in the sweep.
        place: String,
        /// The pattern as written in the sweep.
        pattern: String,
        /// Error that the regex compiler reported.
        error: Box<regex::Error>,
    },
    /// The group that holds the number is missing.
    #[error("{place}: `{pattern}` has no group `{group}`; put `(?<{group}>…)` around the number")]
    NoGroup {
        /// Position of the pattern in the sweep.
        place: String,
        /// The pattern as written in the sweep.
        pattern: String,
        /// Name of the group that the pattern lacks.
        group: String,
    },
}
