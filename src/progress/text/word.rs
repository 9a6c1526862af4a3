//! A word held against others, in any case.

/// Reports whether the word is one of these, in upper or lower case.
pub fn is_one_of(word: impl AsRef<[u8]>, words: &[&str]) -> bool {
    let word = word.as_ref();
    !word.is_empty() && words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}
