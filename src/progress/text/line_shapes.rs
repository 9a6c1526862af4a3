//! Lines that look alike: programs print the same lines again and again, with other numbers.

/// The shapes of the lines of one log: a shape is the text of a line with each digit as `0`.
///
/// A shape has one place, by its hash, and is kept there when it comes for the second time.
#[derive(Debug)]
pub struct LineShapes {
    places: Vec<Place>,
    /// The line that was looked up last.
    line: Shape,
    /// How many shapes were kept so far.
    kept: u32,
}

/// The number of a shape that is kept: no other one of the log has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShapeNumber {
    place: u16,
    kept: u32,
}

/// What is known of the lines of shapes.
#[derive(Debug)]
pub struct ByShape<T> {
    /// Boxed: a run reads hundreds of logs, and most have few shapes.
    known: Vec<Option<Box<(ShapeNumber, T)>>>,
}

/// The shape of a line, in words of eight bytes; the last one overlaps the one before it, or is filled up with zeros.
#[derive(Debug)]
struct Shape {
    words: [u64; LONGEST / WORD],
    length: usize,
    hash: u64,
}

#[derive(Debug)]
struct Place {
    /// The hash of the shape that came here last.
    newest: u64,
    known: Option<Box<KnownShape>>,
}

#[derive(Debug)]
struct KnownShape {
    length: usize,
    words: Box<[u64]>,
    number: ShapeNumber,
}

/// Most logs consist of fewer shapes.
const PLACES: usize = 512;

/// Longer lines seldom come again.
const LONGEST: usize = 256;

const WORD: usize = 8;

/// No shape has this hash.
const NONE: u64 = 0;

impl Default for LineShapes {
    fn default() -> Self {
        let line = Shape { words: [0; LONGEST / WORD], length: 0, hash: NONE };
        Self { places: Vec::new(), line, kept: 0 }
    }
}

impl LineShapes {
    /// Returns the number of the shape of the line, if it came before.
    #[inline]
    pub fn number_of(&mut self, line: &[u8]) -> Option<ShapeNumber> {
        if line.len() > LONGEST {
            return None;
        }
        self.line.take(line);
        let known = self.places.get(place_of(self.line.hash)).and_then(|place| place.known.as_ref());
        let known = known.filter(|known| known.length == line.len() && *known.words == *self.line.words());
        known.map(|known| known.number).or_else(|| self.keep())
    }

    /// Keeps the shape of the line, if it came before.
    fn keep(&mut self) -> Option<ShapeNumber> {
        if self.places.is_empty() {
            self.places.resize_with(PLACES, || Place { newest: NONE, known: None });
        }
        let Shape { length, hash, .. } = self.line;
        let place = &mut self.places[place_of(hash)];
        if std::mem::replace(&mut place.newest, hash) != hash {
            return None;
        }
        self.kept = self.kept.wrapping_add(1);
        let number = ShapeNumber { place: place_of(hash) as u16, kept: self.kept };
        place.known = Some(Box::new(KnownShape { length, words: self.line.words().into(), number }));
        Some(number)
    }
}

impl<T> Default for ByShape<T> {
    fn default() -> Self {
        Self { known: Vec::new() }
    }
}

impl<T> ByShape<T> {
    /// Returns what is known of the lines of this shape.
    #[inline]
    pub fn of(&self, shape: ShapeNumber) -> Option<&T> {
        let (known, found) = self.known.get(usize::from(shape.place))?.as_deref()?;
        (*known == shape).then_some(found)
    }

    /// Keeps what is known of the lines of this shape, in place of what is known of another one.
    pub fn keep(&mut self, shape: ShapeNumber, found: T) {
        if self.known.is_empty() {
            self.known.resize_with(PLACES, || None);
        }
        self.known[usize::from(shape.place)] = Some(Box::new((shape, found)));
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

fn place_of(hash: u64) -> usize {
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

/// Returns the text of the line with each digit as `0`.
pub fn shape_of(line: &[u8]) -> Vec<u8> {
    line.iter().map(|byte| if byte.is_ascii_digit() { b'0' } else { *byte }).collect()
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

    /// Whether the shape of each line has a number when the line comes.
    fn knows(lines: &[&str]) -> Vec<bool> {
        let mut shapes = LineShapes::default();
        lines.iter().map(|line| shapes.number_of(line.as_bytes()).is_some()).collect()
    }

    #[test]
    fn a_shape_has_a_number_once_it_came_twice() {
        assert_eq!(knows(&["step 1 loss 0.5", "step 2 loss 0.7", "step 3 loss 0.1"]), [false, true, true]);
        assert_eq!(
            knows(&["step 1", "step 33", "stop 1", "step 2", "stop 2"]),
            [false, false, false, true, true]
        );
        assert_eq!(knows(&["", "", ""]), [false, true, true]);
        let long = "a".repeat(LONGEST + 1);
        assert_eq!(knows(&[&long, &long, &long]), [false, false, false]);
        let mut shapes = LineShapes::default();
        let mut number = |line: &str| shapes.number_of(line.as_bytes());
        assert_eq!((number("a 1"), number("b 1")), (None, None));
        let (one, other) = (number("a 2"), number("b 2"));
        assert!(one.is_some() && one != other);
        assert_eq!((number("a 3"), number("b 3")), (one, other));
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
            let is_known = knows(&[&one, &one, &other])[2];
            prop_assert_eq!(is_known, shape(&one) == shape(&other));
        }
    }

    #[test]
    fn what_is_known_of_one_shape_is_not_known_of_another() {
        let mut known = ByShape::default();
        let [one, other, later] = [(1, 1), (2, 2), (1, 3)].map(|(place, kept)| ShapeNumber { place, kept });
        known.keep(one, "one");
        assert_eq!((known.of(one), known.of(other), known.of(later)), (Some(&"one"), None, None));
        known.keep(later, "later");
        assert_eq!((known.of(one), known.of(later)), (None, Some(&"later")));
    }
}
