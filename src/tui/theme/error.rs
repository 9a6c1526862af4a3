//! What can be wrong with a theme; it is shown as a warning, and the default theme is used.

/// Why a theme cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    /// No file of that name.
    #[error("there is no theme `{name}`; known are {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// All names, with commas.
        known: String,
    },
    /// The file does not read.
    #[error("theme `{name}`: {problem}")]
    Malformed {
        /// Which theme.
        name: String,
        /// What is wrong, on one line.
        problem: String,
    },
    /// A role that no view draws with.
    #[error("theme `{name}`: there is no role `{role}`")]
    UnknownRole {
        /// Which theme.
        name: String,
        /// The word.
        role: String,
    },
    /// A word of a style that is neither attribute nor colour.
    #[error("theme `{name}`: `{word}` is neither a colour nor an attribute")]
    UnknownWord {
        /// Which theme.
        name: String,
        /// The word.
        word: String,
    },
    /// A theme inherits itself.
    #[error("theme `{name}` inherits itself")]
    Circle {
        /// Which theme.
        name: String,
    },
}
