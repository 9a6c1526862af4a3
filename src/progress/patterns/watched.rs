//! Patterns of the sweep's ladder: which of them a log shows.

use regex::bytes::Regex;

use super::error::PatternError;

/// Patterns that are looked for on every line.
#[derive(Debug, Default)]
pub struct LadderPatterns(Vec<(String, Regex)>);

impl LadderPatterns {
    /// Compiles them, each once.
    pub fn compile<'t>(texts: impl Iterator<Item = &'t String>) -> Result<Self, PatternError> {
        let mut watched: Vec<(String, Regex)> = Vec::new();
        for text in texts {
            if watched.iter().any(|(known, _)| known == text) {
                continue;
            }
            let pattern = Regex::new(text).map_err(|error| PatternError::Syntax {
                place: "[schedule] pattern".to_owned(),
                pattern: text.clone(),
                error: Box::new(error),
            })?;
            watched.push((text.clone(), pattern));
        }
        Ok(Self(watched))
    }

    /// Nothing is looked for.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes the patterns that the line shows for the first time.
    pub fn note_on(&self, line: &[u8], seen: &mut Vec<String>) {
        for (text, pattern) in &self.0 {
            if !seen.contains(text) && pattern.is_match(line) {
                seen.push(text.clone());
            }
        }
    }
}
