//! What is looked for in a log: a text, in which capitals matter only where some were typed.

use std::ops::Range;

/// A search as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogSearch {
    text: String,
    exact: bool,
}

impl LogSearch {
    /// Builds a search from what was typed; a capital makes it case-sensitive.
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), exact: text.chars().any(char::is_uppercase) }
    }

    /// Returns the text as it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Nothing is looked for.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Bytes to search for, and whether the log must be lower-cased first.
    pub fn needle(&self) -> (Vec<u8>, bool) {
        let needle = if self.exact { self.text.clone() } else { self.text.to_ascii_lowercase() };
        (needle.into_bytes(), !self.exact)
    }

    /// The line holds it.
    pub fn matches(&self, line: &str) -> bool {
        !self.match_ranges(line).is_empty()
    }

    /// Returns the byte ranges of the matches in a line.
    pub fn match_ranges(&self, line: &str) -> Vec<Range<usize>> {
        if self.is_empty() {
            return Vec::new();
        }
        let (needle, small) = self.needle();
        // Only ASCII letters change case, so that bytes stay where they are.
        let hay = if small { line.to_ascii_lowercase() } else { line.to_owned() };
        memchr::memmem::find_iter(hay.as_bytes(), &needle).map(|at| at..at + needle.len()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_matter_only_where_they_were_typed() {
        assert_eq!(LogSearch::new("error").match_ranges("Error: an ERROR"), [0..5, 10..15]);
        assert_eq!(LogSearch::new("Error").match_ranges("Error: an ERROR"), vec![0..5; 1]);
        assert!(!LogSearch::new("").matches("anything"));
        assert_eq!(LogSearch::new("é").match_ranges("É é"), vec![3..5; 1], "only ASCII letters become small");
    }
}
