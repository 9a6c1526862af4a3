//! Words: which bytes they are made of, and whether one is among others, in any case.

/// Reports whether names such as `max_epochs` are made of such bytes.
pub fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Reports whether the word is a number without sign and fraction.
pub fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reports whether the word is one of these, in upper or lower case.
pub fn is_one_of(word: impl AsRef<[u8]>, words: &[&str]) -> bool {
    let word = word.as_ref();
    !word.is_empty() && words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// Splits a text behind the dotted name that it begins with, which is empty where there is none: `torch.OutOfMemoryError`
/// of `torch.OutOfMemoryError: …`.
pub fn split_dotted_name(text: &[u8]) -> (&[u8], &[u8]) {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_');
    text.split_at(text.iter().position(|byte| !is_of_name(byte)).unwrap_or(text.len()))
}

/// Words in lower case, of which one is looked for on many lines: its length and its first letter rule out most words.
#[derive(Debug, Clone, Copy)]
pub struct WordSet {
    words: &'static [&'static str],
    /// By length: the first letters, as bits from `a` on.
    first_letters: [u32; WordSet::LONGEST + 1],
}

impl WordSet {
    const LONGEST: usize = 16;

    /// Prepares the search; each word is of at most 16 letters from `a` to `z`.
    pub const fn new(words: &'static [&'static str]) -> Self {
        let mut first_letters = [0; Self::LONGEST + 1];
        let mut at = 0;
        while at < words.len() {
            let word = words[at].as_bytes();
            first_letters[word.len()] |= 1 << (word[0] - b'a');
            at += 1;
        }
        Self { words, first_letters }
    }

    /// Reports whether the word is one of these, in upper or lower case.
    pub fn contains(&self, word: &[u8]) -> bool {
        let first = word.first().map(u8::to_ascii_lowercase).filter(u8::is_ascii_lowercase);
        let letters = self.first_letters.get(word.len());
        let may_be = first.zip(letters).is_some_and(|(first, letters)| letters >> (first - b'a') & 1 == 1);
        may_be && is_one_of(word, self.words)
    }

    /// Reports whether one of these stands in the text, in upper or lower case and between bytes that are no letters.
    pub fn is_in(&self, text: &[u8]) -> bool {
        text.split(|byte| !byte.is_ascii_alphabetic()).any(|word| self.contains(word))
    }
}

/// Returns the place of the only element in which two sequences of one length differ.
pub fn only_difference<T: PartialEq>(one: &[T], other: &[T]) -> Option<usize> {
    let mut differing = (0..one.len().min(other.len())).filter(|place| one[*place] != other[*place]);
    let place = differing.next().filter(|_| one.len() == other.len());
    place.filter(|_| differing.next().is_none())
}
