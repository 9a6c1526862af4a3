//! Whether any of a few texts is on a line: one pass for all of them.

use std::sync::OnceLock;

use super::literals::LiteralMatcher;

/// A few texts that are looked for together, on many lines.
#[derive(Debug)]
pub struct TextSet {
    texts: &'static [&'static str],
    search: OnceLock<LiteralMatcher>,
}

impl TextSet {
    /// The search is prepared when it is first needed.
    pub const fn new(texts: &'static [&'static str]) -> Self {
        Self { texts, search: OnceLock::new() }
    }

    /// Reports whether one of the texts is on the line.
    pub fn is_on(&self, line: &[u8]) -> bool {
        self.search.get_or_init(|| LiteralMatcher::new(self.texts)).find(line, 0).is_some()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    static TEXTS: TextSet = TextSet::new(&["ab", "b c", "成功"]);

    proptest! {
        #[test]
        fn a_line_is_searched_for_all_of_them(line in "[ab c成功]{0,40}") {
            let expected = ["ab", "b c", "成功"].iter().any(|text| line.contains(text));
            prop_assert_eq!(TEXTS.is_on(line.as_bytes()), expected);
        }
    }
}
