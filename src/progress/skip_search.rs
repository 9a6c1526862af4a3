//! A search for many long literals that looks at few bytes of a text: the method of Wu and Manber.

/// Long literals, searched for together.
///
/// The search stands on two bytes of the text. Where they occur among the first [`WINDOW`] bytes of no literal, it goes
/// on by almost a window; where they could end a window, the literals with this end are compared.
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
    /// Its first bytes: most candidates differ there, which is told without a call.
    window: [u8; WINDOW],
    /// What follows them.
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
            let (window, rest) = text.as_bytes().split_first_chunk().expect("only long literals are given");
            search.add(Literal { window: *window, rest: rest.to_vec(), name });
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
                let is_there = || literal.rest.is_empty() || rest.starts_with(&literal.rest);
                if literal.window == *window && is_there() {
                    sink(literal.name);
                }
            }
            last += 1;
        }
    }
}

fn index(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}
