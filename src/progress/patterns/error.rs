//! Why the patterns of a sweep cannot be used.

/// Why the patterns of a sweep cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PatternError {
    /// No preset has this name.
    #[error("[progress] preset: there is no preset `{name}`; use one of {known}")]
    UnknownPreset {
        /// What was written.
        name: String,
        /// What could have been written.
        known: String,
    },
    /// Not a regular expression.
    #[error("{place}: `{pattern}` is not a regular expression: {error}")]
    Syntax {
        /// Where it stands in the sweep.
        place: String,
        /// What was written.
        pattern: String,
        /// What is wrong with it.
        error: Box<regex::Error>,
    },
    /// The group that holds the number is missing.
    #[error("{place}: `{pattern}` has no group `{group}`; put `(?<{group}>…)` around the number")]
    NoGroup {
        /// Where it stands in the sweep.
        place: String,
        /// What was written.
        pattern: String,
        /// The group.
        group: String,
    },
}
