//! What can be wrong with a theme; it is shown as a warning, and the default theme is used.

/// Why a theme cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    /// No file of that name.
    #[error("there is no theme `{name}`; known are {known}")]
    Unknown {
        /// Name of the theme that was asked for.
        name: String,
        /// All names, with commas.
        known: String,
    },
    /// The file does not read.
    #[error("theme `{name}`: {problem}")]
    Malformed {
        /// Name of the theme with the problem.
        name: String,
        /// Description of the problem, on one line.
        problem: String,
    },
    /// A role that no view draws with.
    #[error("theme `{name}`: there is no role `{role}`")]
    UnknownRole {
        /// Name of the theme with the role.
        name: String,
        /// Name of the role that does not exist.
        role: String,
    },
    /// A word of a style that is neither attribute nor colour.
    #[error("theme `{name}`: `{word}` is neither a colour nor an attribute")]
    UnknownWord {
        /// Name of the theme with the word.
        name: String,
        /// The word that is not understood.
        word: String,
    },
    /// A theme inherits itself.
    #[error("theme `{name}` inherits itself")]
    Circle {
        /// Name of the theme in the circle.
        name: String,
    },
}
