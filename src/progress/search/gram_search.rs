//! A search for many long literals that looks at four bytes of a text at a time, and compares only where these occur in
//! one.

use crate::progress::text::find::begins_with;

/// Long literals, searched for together.
///
/// The search reads a text in steps of four bytes. Wherever a literal occurs, one of as many neighbouring grams of it
/// lies on a step, so that these are known for each literal. The steps do not depend on one another, which a processor
/// makes use of; a search that skips as far as the bytes allow looks at fewer, but waits for each.
#[derive(Debug)]
pub struct GramSearch {
    /// Bit for each hash of a gram: whether a literal may be there.
    known: Box<[u8; BITS / 8]>,
    /// By a part of the hash: the first of `grams` with it, or behind the last one.
    first: Box<[u16; CHAINS]>,
    grams: Vec<Gram>,
    literals: Vec<NamedLiteral>,
}

#[derive(Debug)]
struct Gram {
    bytes: u32,
    /// Index of the literal, and the offset of the gram in it.
    literal: u16,
    offset: u16,
    /// How the literal begins, as far as `looked_at` goes: a word that several literals hold is seldom the rest of one.
    begin: u64,
    looked_at: u64,
    /// The next one whose hash begins alike.
    next: u16,
}

#[derive(Debug)]
struct NamedLiteral {
    text: Box<[u8]>,
    name: usize,
}

/// Bytes that are looked at together.
const GRAM: usize = 4;

/// The shortest literal that can be searched for.
pub const SHORTEST: usize = 2 * GRAM - 1;

/// So many steps are looked at before the next decision.
const BLOCK: usize = 4 * GRAM;

/// Few hashes are known, so that most texts show none of them by chance.
const HASH_BITS: u32 = 17;
const BITS: usize = 1 << HASH_BITS;
const CHAIN_BITS: u32 = 12;
const CHAINS: usize = 1 << CHAIN_BITS;
const NO_GRAM: u16 = u16::MAX;

impl GramSearch {
    /// Prepares the search for literals of at least [`SHORTEST`] bytes, each with a number as its name.
    pub fn new<'a>(literals: impl IntoIterator<Item = (&'a str, usize)>) -> Self {
        let mut search = Self {
            known: Box::new([0; BITS / 8]),
            first: Box::new([NO_GRAM; CHAINS]),
            grams: Vec::new(),
            literals: Vec::new(),
        };
        let literals: Vec<(&[u8], usize)> =
            literals.into_iter().map(|(text, name)| (text.as_bytes(), name)).collect();
        // By hash, where two seldom meet: this is done at each start.
        let mut counts = vec![0; BITS];
        for gram in literals.iter().flat_map(|(text, _)| text.windows(GRAM)) {
            counts[hash(gram_at(gram, 0))] += 1;
        }
        for (text, name) in &literals {
            search.add(text, rarest_window(text, &counts), *name);
        }
        search
    }

    fn add(&mut self, text: &[u8], begin: usize, name: usize) {
        for (offset, gram) in text.windows(GRAM).enumerate().skip(begin).take(GRAM) {
            let bytes = gram_at(gram, 0);
            let hash = hash(bytes);
            self.known[hash / 8] |= 1 << (hash % 8);
            let next = std::mem::replace(&mut self.first[hash % CHAINS], small(self.grams.len()));
            let (begin, looked_at) = begin_of(text);
            let (literal, offset) = (small(self.literals.len()), small(offset));
            self.grams.push(Gram { bytes, literal, offset, begin, looked_at, next });
        }
        self.literals.push(NamedLiteral { text: text.into(), name });
    }

    /// Gives the name of every literal in the text and where it begins; of one that is there twice, twice.
    #[inline]
    pub fn for_each_in(&self, text: &[u8], sink: &mut impl FnMut(usize, usize)) {
        let mut at = 0;
        let mut blocks = text.chunks_exact(BLOCK);
        for block in &mut blocks {
            let grams: [u32; BLOCK / GRAM] = std::array::from_fn(|step| gram_at(block, step * GRAM));
            if grams.iter().fold(0, |known, gram| known | self.knows(*gram)) != 0 {
                for (step, gram) in grams.into_iter().enumerate() {
                    if self.knows(gram) != 0 {
                        self.look_at(text, at + step * GRAM, gram, sink);
                    }
                }
            }
            at += BLOCK;
        }
        for gram in blocks.remainder().chunks_exact(GRAM) {
            let gram = gram_at(gram, 0);
            if self.knows(gram) != 0 {
                self.look_at(text, at, gram, sink);
            }
            at += GRAM;
        }
    }

    /// 1 where the gram is perhaps one of these.
    fn knows(&self, gram: u32) -> u8 {
        let hash = hash(gram);
        self.known[hash / 8] >> (hash % 8) & 1
    }

    fn look_at(&self, text: &[u8], at: usize, gram: u32, sink: &mut impl FnMut(usize, usize)) {
        let mut next = self.first[hash(gram) % CHAINS];
        while let Some(known) = self.grams.get(usize::from(next)) {
            if known.bytes == gram
                && let Some(start) = at.checked_sub(usize::from(known.offset))
                && begin_of(&text[start..]).0 & known.looked_at == known.begin
            {
                let literal = &self.literals[usize::from(known.literal)];
                if begins_with(&text[start..], &literal.text) {
                    sink(literal.name, start);
                }
            }
            next = known.next;
        }
    }
}

fn small(number: usize) -> u16 {
    let small = u16::try_from(number).ok().filter(|number| *number != NO_GRAM);
    small.expect("what is searched for is written down in this program")
}

/// The first eight bytes of a text, and which bits of them it has.
fn begin_of(text: &[u8]) -> (u64, u64) {
    if let Some(begin) = text.first_chunk() {
        return (u64::from_le_bytes(*begin), u64::MAX);
    }
    let begin = text.iter().rev().fold(0, |begin, byte| begin << 8 | u64::from(*byte));
    (begin, (1 << (8 * text.len())) - 1)
}

fn gram_at(text: &[u8], at: usize) -> u32 {
    text[at..].first_chunk().map_or(0, |gram| u32::from_le_bytes(*gram))
}

fn hash(gram: u32) -> usize {
    // Half of the golden ratio: neighbouring values fall far apart.
    (gram.wrapping_mul(0x9e37_79b1) >> (u32::BITS - HASH_BITS)) as usize
}

/// Returns where the grams of a literal begin that are rarest in logs: comparing is what costs. What several literals
/// hold is a word of many logs, such as `success`.
fn rarest_window(literal: &[u8], counts: &[u32]) -> usize {
    // More than four bytes can make up for.
    const SHARED: u32 = 10_000;
    let of_gram = |gram: &[u8]| {
        let of_bytes = gram.iter().map(commonness).product::<u32>();
        SHARED * counts[hash(gram_at(gram, 0))] + of_bytes
    };
    let grams: Vec<u32> = literal.windows(GRAM).map(of_gram).collect();
    let windows = grams.windows(SHORTEST + 1 - GRAM).enumerate();
    windows.min_by_key(|(_, grams)| grams.iter().sum::<u32>()).map_or(0, |(begin, _)| begin)
}

/// How common a byte is in logs, roughly.
fn commonness(byte: &u8) -> u32 {
    match byte {
        b' ' => 9,
        b'a' | b'e' | b'i' | b'n' | b'o' | b'r' | b's' | b't' => 8,
        b'0'..=b'9' | b'.' | b':' | b'/' | b'_' | b'-' | b',' => 6,
        b'c' | b'd' | b'f' | b'g' | b'h' | b'l' | b'm' | b'p' | b'u' => 5,
        b'a'..=b'z' => 3,
        _ => 2,
    }
}
