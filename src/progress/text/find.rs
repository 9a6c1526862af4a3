//! The place of a text on a line: for a few dozen bytes, preparing a search takes longer than to search.

use memchr::memchr_iter;

use crate::progress::text::places::{Place, Places};

/// Returns the first place where `text` begins on the line.
pub fn find(line: &[u8], text: &[u8]) -> Option<usize> {
    let Some((last, before_last)) = text.split_last() else { return Some(0) };
    // Blanks and signs are everywhere: the first letter or digit is looked for. What is drawn begins with the same byte.
    let letter = text.iter().position(u8::is_ascii_alphanumeric);
    let skipped = letter.unwrap_or(if text[0].is_ascii() { 0 } else { before_last.len() });
    let latest = line.len().checked_sub(text.len())?;
    let places = line.get(skipped..=latest + skipped)?;
    // To compare is a call: the last byte rules out most places.
    memchr_iter(text[skipped], places)
        .find(|at| line[*at + before_last.len()] == *last && begins_with(&line[*at..], before_last))
}

/// The line begins with the text. To compare is a call where the length is not known before, which takes longer than to
/// compare the few bytes that most texts have.
#[inline]
pub fn begins_with(line: &[u8], text: &[u8]) -> bool {
    line.get(..text.len()).is_some_and(|begin| match text.len() {
        8..=16 => {
            begin.first_chunk::<8>() == text.first_chunk() && begin.last_chunk::<8>() == text.last_chunk()
        }
        4..=7 => {
            begin.first_chunk::<4>() == text.first_chunk() && begin.last_chunk::<4>() == text.last_chunk()
        }
        0..=3 => begin.iter().eq(text),
        _ => begin == text,
    })
}

/// Reports whether two names are the same. An empty vector's address is not that of any memory: to compare that takes
/// some processors as long as hundreds of bytes.
#[inline]
pub fn are_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && (one.is_empty() || one == other)
}

/// A text that is looked for on many lines, by the byte of it that is rarest in logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sought {
    text: &'static [u8],
    rare: usize,
    /// The needle that it holds: its position in the preset, and its offset.
    needle: Option<(usize, usize)>,
}

impl Sought {
    /// Prepares the search by choosing the rarest byte of the text.
    pub const fn new(text: &'static str) -> Self {
        let text = text.as_bytes();
        let (mut rare, mut at) = (0, 1);
        while at < text.len() {
            if commonness(text[at]) < commonness(text[rare]) {
                rare = at;
            }
            at += 1;
        }
        Self { text, rare, needle: None }
    }

    /// Prepares the search on lines of a format with these needles: where one is in the text, its place is known.
    pub const fn among(needles: &[&str], text: &'static str) -> Self {
        let mut sought = Self::new(text);
        let mut position = 0;
        while position < needles.len() {
            if let Some(offset) = offset_of(needles[position].as_bytes(), sought.text)
                && sought.needle.is_none()
            {
                sought.needle = Some((position, offset));
            }
            position += 1;
        }
        sought
    }

    /// Returns what follows the text on a line of a format.
    #[inline]
    pub fn behind_among<'a>(&self, line: &'a [u8], places: &Places) -> Option<&'a [u8]> {
        self.on_among(line, places).map(|at| &line[at + self.text.len()..])
    }

    /// Returns the first place where the text begins on a line of a format.
    #[inline]
    pub fn on_among(&self, line: &[u8], places: &Places) -> Option<usize> {
        match self.needle {
            Some((needle, _)) if places.lack(needle) => None,
            Some((needle, offset)) => self.around(places.of(needle), offset, line),
            None if self.text.is_empty() => Some(0),
            None => self.on(line),
        }
    }

    /// Its place can be known without a search.
    #[inline]
    pub fn holds_needle(&self) -> bool {
        self.needle.is_some()
    }

    /// The needle that it holds, by its position in the preset.
    pub fn needle(&self) -> Option<usize> {
        self.needle.map(|(needle, _)| needle)
    }

    /// Returns the first place where the text begins, from that of the needle at this offset of it.
    fn around(&self, place: Place, offset: usize, line: &[u8]) -> Option<usize> {
        let (first, is_only) = match place {
            Place::Unknown => return self.on(line),
            Place::Only(at) => (at, true),
            Place::First(at) => (at, false),
        };
        let start = first.checked_sub(offset);
        let is_there = |start: &usize| line.get(*start..).is_some_and(|rest| begins_with(rest, self.text));
        match start.filter(is_there) {
            None if !is_only => self.on(line),
            start => start,
        }
    }

    /// Returns what follows the text on the line.
    pub fn behind(self, line: &[u8]) -> Option<&[u8]> {
        self.on(line).map(|at| &line[at + self.text.len()..])
    }

    /// The line begins with it.
    pub fn begins(self, line: &[u8]) -> bool {
        begins_with(line, self.text)
    }

    /// Returns the first place where the text begins on the line.
    pub fn on(self, line: &[u8]) -> Option<usize> {
        let Some((last, before_last)) = self.text.split_last() else { return Some(0) };
        let latest = line.len().checked_sub(self.text.len())?;
        let places = line.get(self.rare..=latest + self.rare)?;
        memchr_iter(self.text[self.rare], places)
            .find(|at| line[*at + before_last.len()] == *last && begins_with(&line[*at..], before_last))
    }
}

/// The offset of one text in another.
const fn offset_of(wanted: &[u8], text: &[u8]) -> Option<usize> {
    let mut start = 0;
    while start + wanted.len() <= text.len() {
        let mut same = 0;
        while same < wanted.len() && text[start + same] == wanted[same] {
            same += 1;
        }
        if same == wanted.len() {
            return Some(start);
        }
        start += 1;
    }
    None
}

/// How common a byte is in logs, roughly.
const fn commonness(byte: u8) -> u8 {
    match byte {
        b' ' => 9,
        b'a' | b'e' | b'i' | b'n' | b'o' | b'r' | b's' | b't' => 8,
        b'0'..=b'9' | b'.' | b':' | b'/' | b'_' | b'-' | b',' | b'|' => 6,
        b'c' | b'd' | b'f' | b'g' | b'h' | b'l' | b'm' | b'p' | b'u' => 5,
        b'a'..=b'z' => 3,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::Sought;
    use super::begins_with;
    use super::find;
    use crate::progress::text::places::NeedleSet;
    use crate::progress::text::places::Places;

    proptest! {
        #[test]
        fn a_text_is_found_where_it_stands(line in "[ab |]{0,20}", text in "[ab |]{0,4}") {
            prop_assert_eq!(find(line.as_bytes(), text.as_bytes()), line.find(&text));
        }

        #[test]
        fn a_begin_of_any_length_is_known(line in "[ab]{0,40}", text in "[ab]{0,40}", length in 0_usize..40) {
            prop_assert_eq!(begins_with(line.as_bytes(), text.as_bytes()), line.starts_with(&text));
            let begin = &line[..length.min(line.len())];
            proptest::prop_assert!(begins_with(line.as_bytes(), begin.as_bytes()));
            for place in 0..begin.len() {
                let mut other = begin.as_bytes().to_vec();
                other[place] = b'x';
                proptest::prop_assert!(!begins_with(line.as_bytes(), &other), "{}", place);
            }
        }

        #[test]
        fn known_places_of_needles_lead_to_the_same_place(
            line in "[ab |]{0,20}", left_out in 0_usize..6, searched in 0_usize..4, known in 0_usize..2,
        ) {
            const NEEDLES: [&str; 3] = ["a", "b |", " |a"];
            const TEXTS: [&str; 6] = ["", "ab", "b | a", " |ab", "| ", "aa"];
            let mut places = Places::default();
            places.begin(0, NeedleSet::of(0..searched.min(NEEDLES.len())));
            for (needle, text) in NEEDLES.iter().enumerate().take(searched) {
                line.match_indices(text).for_each(|(at, _)| places.add(needle, at));
            }
            places.show(known, left_out.min(line.len()));
            let words = &line[left_out.min(line.len())..];
            for text in TEXTS {
                let sought = Sought::among(&NEEDLES, text);
                prop_assert_eq!(sought.on_among(words.as_bytes(), &places), words.find(text));
                let whole = &words[..words.len() / 2];
                prop_assert_eq!(sought.on_among(whole.as_bytes(), &places), whole.find(text), "a cut line");
            }
        }

        #[test]
        fn a_sought_text_is_found_where_it_stands(line in "[ab |]{0,20}") {
            const TEXTS: [&str; 6] = ["", "a", "ab", "| a", " b: ", "a |b"];
            for text in TEXTS {
                prop_assert_eq!(Sought::new(text).on(line.as_bytes()), line.find(text));
            }
        }
    }
}
