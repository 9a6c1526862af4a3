//! A search for many long literals that looks at few bytes of a text: the method of Wu and Manber.

/// Long literals, searched for together.
///
/// Of each literal the search looks for a window of [`WINDOW`] bytes. It stands on two bytes of the text: where they occur
/// in no window, it goes on by almost a window; where they could end one, the literals with this end are compared.
#[derive(Debug)]
pub struct SkipSearch {
    /// By pair of bytes: how far the search may go on.
    steps: Box<[u8]>,
    /// By pair of bytes: which of `ends`.
    end_of_pair: Box<[u16]>,
    /// The literals whose window ends in the same pair; the first entry has none.
    ends: Vec<Vec<Literal>>,
}

#[derive(Debug, Clone)]
struct Literal {
    /// Most candidates differ here, which is told without a call.
    window: [u8; WINDOW],
    /// What stands before the window.
    before: Vec<u8>,
    /// What follows it.
    rest: Vec<u8>,
    name: usize,
}

/// The shortest literal that can be searched for.
pub const WINDOW: usize = 8;

const PAIRS: usize = 1 << 16;

impl SkipSearch {
    /// Prepares the search for literals of at least [`WINDOW`] bytes, each with a number as its name.
    pub fn new<'a>(literals: impl IntoIterator<Item = (&'a str, usize)>) -> Self {
        let mut search = Self {
            steps: vec![(WINDOW - 1) as u8; PAIRS].into_boxed_slice(),
            end_of_pair: vec![0; PAIRS].into_boxed_slice(),
            ends: vec![Vec::new()],
        };
        for (text, name) in literals {
            let (before, behind) = text.as_bytes().split_at(best_window(text.as_bytes()));
            let (window, rest) = behind.split_first_chunk().expect("only long literals are given");
            search.add(Literal { window: *window, before: before.to_vec(), rest: rest.to_vec(), name });
        }
        search
    }

    fn add(&mut self, literal: Literal) {
        let window = literal.window;
        for (position, pair) in window.windows(2).enumerate() {
            let step = &mut self.steps[index(pair[0], pair[1])];
            *step = (*step).min((WINDOW - 2 - position) as u8);
        }
        let end = &mut self.end_of_pair[index(window[WINDOW - 2], window[WINDOW - 1])];
        if *end == 0 {
            *end = u16::try_from(self.ends.len()).expect("there are as many pairs as u16 has values");
            self.ends.push(Vec::new());
        }
        self.ends[usize::from(*end)].push(literal);
    }

    /// Gives the name of every literal in the text; of one that is there twice, twice.
    pub fn for_each_in(&self, text: &[u8], sink: &mut impl FnMut(usize)) {
        let mut last = WINDOW - 1;
        while last < text.len() {
            let pair = index(text[last - 1], text[last]);
            let step = usize::from(self.steps[pair]);
            if step > 0 {
                last += step;
                continue;
            }
            let Some((window, rest)) = text[last + 1 - WINDOW..].split_first_chunk() else { return };
            for literal in &self.ends[usize::from(self.end_of_pair[pair])] {
                // To compare with nothing is slow: the processor stumbles over its address.
                let is_there = || {
                    (literal.rest.is_empty() || rest.starts_with(&literal.rest))
                        && (literal.before.is_empty() || text[..last + 1 - WINDOW].ends_with(&literal.before))
                };
                if literal.window == *window && is_there() {
                    sink(literal.name);
                }
            }
            last += 1;
        }
    }
}

/// Where the window of the literal begins whose end is rarest in logs: comparing is what costs.
fn best_window(literal: &[u8]) -> usize {
    let windows = literal.windows(WINDOW).enumerate();
    windows.min_by_key(|(_, window)| commonness(&window[WINDOW - 2..])).map_or(0, |(begin, _)| begin)
}

/// How common a pair of bytes is in logs, roughly.
fn commonness(pair: &[u8]) -> u32 {
    let of_byte = |byte: &u8| match byte {
        b' ' => 9,
        b'a' | b'e' | b'i' | b'n' | b'o' | b'r' | b's' | b't' => 8,
        b'0'..=b'9' | b'.' | b':' | b'/' | b'_' | b'-' | b',' => 6,
        b'c' | b'd' | b'f' | b'g' | b'h' | b'l' | b'm' | b'p' | b'u' => 5,
        b'a'..=b'z' => 3,
        _ => 2,
    };
    pair.iter().map(of_byte).product()
}

fn index(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}
