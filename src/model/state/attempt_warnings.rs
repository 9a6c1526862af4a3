//! What is odd about an attempt while it lives, for people; at its end the outcome keeps what is worth keeping.

/// Limit on the remarks about one attempt: more of them only repeat the same.
const MOST: usize = 8;

/// Remarks without duplicates, in the order in which they were noticed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttemptWarnings(pub Vec<String>);

impl AttemptWarnings {
    /// Adds a remark, unless it is known already or there are enough.
    pub fn add_once(&mut self, text: &str) {
        if self.0.len() < MOST && !self.0.iter().any(|known| known == text) {
            self.0.push(text.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_kept_once_and_not_too_many() {
        let mut warnings = AttemptWarnings::default();
        for number in (0..20).chain(0..20) {
            warnings.add_once(&format!("number {number}"));
        }
        assert_eq!((warnings.0.len(), warnings.0[7].as_str()), (8, "number 7"));
    }
}
