//! Where a text stands on a line: for a few dozen bytes, preparing a search takes longer than to search.

use memchr::memchr_iter;

/// Where `text` begins on the line first.
pub fn find(line: &[u8], text: &[u8]) -> Option<usize> {
    let Some((last, before_last)) = text.split_last() else { return Some(0) };
    // Blanks and signs stand everywhere: the first letter or digit is looked for.
    let skipped = text.iter().position(u8::is_ascii_alphanumeric).unwrap_or(0);
    let latest = line.len().checked_sub(text.len())?;
    let places = line.get(skipped..=latest + skipped)?;
    // To compare is a call: most places are told apart by the last byte.
    memchr_iter(text[skipped], places)
        .find(|at| line[*at + before_last.len()] == *last && line[*at..].starts_with(before_last))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::find;

    proptest! {
        #[test]
        fn a_text_is_found_where_it_stands(line in "[ab |]{0,20}", text in "[ab |]{0,4}") {
            prop_assert_eq!(find(line.as_bytes(), text.as_bytes()), line.find(&text));
        }
    }
}
