//! What was found on lines that look alike: programs print the same lines again and again, with other numbers.

/// What was found on lines, by their shapes: a shape is the text of a line with each digit as `0`.
///
/// A shape has one place, by its hash, and is kept there when it comes for the second time.
#[derive(Debug)]
pub struct LineShapes<T> {
    places: Vec<Place<T>>,
    /// The line that was looked up last, or none.
    line: Shape,
}

/// The shape of a line, in words of eight bytes; the last one overlaps the one before it, or is filled up with zeros.
#[derive(Debug)]
struct Shape {
    words: [u64; LONGEST / WORD],
    length: usize,
    hash: u64,
}

#[derive(Debug)]
struct Place<T> {
    /// The hash of the shape that came here last.
    newest: u64,
    known: Option<Box<Known<T>>>,
}

#[derive(Debug)]
struct Known<T> {
    length: usize,
    words: Box<[u64]>,
    found: T,
}

/// Most logs consist of fewer shapes.
const PLACES: usize = 512;

/// Longer lines seldom come again.
const LONGEST: usize = 256;

const WORD: usize = 8;

/// No shape has this hash.
const NONE: u64 = 0;

impl<T> Default for LineShapes<T> {
    fn default() -> Self {
        Self { places: Vec::new(), line: Shape { words: [0; LONGEST / WORD], length: 0, hash: NONE } }
    }
}

impl<T> LineShapes<T> {
    /// Forgets all.
    pub fn forget(&mut self) {
        self.places.clear();
        self.line.hash = NONE;
    }

    /// Returns what was found on a line of the same shape.
    #[inline]
    pub fn of(&mut self, line: &[u8]) -> Option<&T> {
        self.line.hash = NONE;
        if line.len() > LONGEST {
            return None;
        }
        self.line.take(line);
        let known = self.places.get(place(self.line.hash))?.known.as_ref()?;
        let is_same = known.length == self.line.length && *known.words == *self.line.words();
        is_same.then_some(&known.found)
    }

    /// The shape of the line that was looked up last came before, so that what is found on it should be kept.
    pub fn recurs(&mut self) -> bool {
        let hash = self.line.hash;
        if hash == NONE {
            return false;
        }
        if self.places.is_empty() {
            self.places.resize_with(PLACES, || Place { newest: NONE, known: None });
        }
        std::mem::replace(&mut self.places[place(hash)].newest, hash) == hash
    }

    /// Keeps what was found on the line that was looked up last.
    pub fn keep(&mut self, found: T) {
        let Shape { length, hash, .. } = self.line;
        if let Some(place) = self.places.get_mut(place(hash)).filter(|_| hash != NONE) {
            let words = self.line.words().into();
            place.known = Some(Box::new(Known { length, words, found }));
        }
    }
}

impl Shape {
    /// Takes the shape of a line that is not too long.
    #[inline]
    fn take(&mut self, line: &[u8]) {
        self.length = line.len();
        let whole = line.chunks_exact(WORD);
        let has_rest = !whole.remainder().is_empty();
        for (word, chunk) in self.words.iter_mut().zip(whole) {
            *word = with_zeros(chunk.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)));
        }
        if has_rest {
            let filled = || line.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            let last = line.last_chunk().map_or_else(filled, |bytes| u64::from_le_bytes(*bytes));
            self.words[line.len() / WORD] = with_zeros(last);
        }
        self.hash = hash(self.words(), self.length);
    }

    fn words(&self) -> &[u64] {
        &self.words[..self.length.div_ceil(WORD)]
    }
}

fn place(hash: u64) -> usize {
    (hash >> 55) as usize % PLACES
}

/// Never [`NONE`]. No product waits for another one.
#[inline]
fn hash(words: &[u64], length: usize) -> u64 {
    // From the golden ratio: neighbouring values fall far apart.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let (mut all, mut factor) = (length as u64, FACTOR);
    for word in words {
        all = all.wrapping_add((word ^ word >> 32).wrapping_mul(factor));
        factor = factor.rotate_left(9) | 1;
    }
    (all ^ all >> 29).wrapping_mul(FACTOR) | 1
}

/// Each byte that is a digit as `0`, all eight at once.
#[inline]
fn with_zeros(word: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGHEST_BIT: u64 = 0x80 * EACH;
    // Digits become 0 to 9, so that 118 more stay below 128.
    let values = word ^ (b'0' as u64 * EACH);
    let beyond = (values & !HIGHEST_BIT) + 118 * EACH;
    let others = (beyond | values) & HIGHEST_BIT;
    let digits = (others ^ HIGHEST_BIT) >> 7;
    let all_bits = (digits << 8).wrapping_sub(digits);
    (word & !all_bits) | (all_bits & (b'0' as u64 * EACH))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::*;

    /// Looks a line up and keeps its number where it should be.
    fn look(shapes: &mut LineShapes<u32>, line: &str, number: u32) -> Option<u32> {
        let known = shapes.of(line.as_bytes()).copied();
        if known.is_none() && shapes.recurs() {
            shapes.keep(number);
        }
        known
    }

    #[test]
    fn a_shape_is_known_once_it_came_twice() {
        let mut shapes = LineShapes::default();
        let mut look = |line: &str, number| look(&mut shapes, line, number);
        assert_eq!((look("step 1 loss 0.5", 1), look("step 2 loss 0.7", 2)), (None, None));
        assert_eq!((look("step 3 loss 0.1", 3), look("step 33 loss 0.1", 4)), (Some(2), None));
        assert_eq!((look("stop 3 loss 0.1", 5), look("step 9 loss 9.9", 6)), (None, Some(2)));
        let long = "a".repeat(LONGEST + 1);
        assert_eq!((look(&long, 7), look(&long, 8), look(&long, 9)), (None, None, None));
        assert_eq!((look("", 10), look("", 11), look("", 12)), (None, None, Some(11)));
    }

    proptest! {
        #[test]
        fn digits_alone_become_zeros(bytes in any::<[u8; 8]>()) {
            let zeros = bytes.map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
            prop_assert_eq!(with_zeros(u64::from_le_bytes(bytes)), u64::from_le_bytes(zeros));
        }

        #[test]
        fn lines_of_one_shape_differ_in_digits_alone(one in "[a0-2 ]{0,20}", other in "[a0-2 ]{0,20}") {
            let shape = |line: &str| line.replace(|letter: char| letter.is_ascii_digit(), "0");
            let mut shapes = LineShapes::default();
            look(&mut shapes, &one, 1);
            look(&mut shapes, &one, 1);
            prop_assert_eq!(look(&mut shapes, &other, 2).is_some(), shape(&one) == shape(&other));
        }
    }

    #[test]
    fn what_is_forgotten_is_new() {
        let mut shapes = LineShapes::default();
        for number in 0..3 {
            look(&mut shapes, "step 1", number);
        }
        assert_eq!(look(&mut shapes, "step 1", 3), Some(1));
        shapes.forget();
        assert_eq!(look(&mut shapes, "step 1", 4), None);
    }
}
