//! Words: which bytes they are made of, and whether one is among others, in any case.

/// Reports whether names such as `max_epochs` are made of such bytes.
pub fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Reports whether the word is one of these, in upper or lower case.
pub fn is_one_of(word: impl AsRef<[u8]>, words: &[&str]) -> bool {
    let word = word.as_ref();
    !word.is_empty() && words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}
