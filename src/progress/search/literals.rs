//! A search for many literals at once that finds every one of them, also those that overlap.

use aho_corasick::packed::{self, Searcher};
use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, Match, MatchKind, Span};

use super::gram_search::GramSearch;
use super::gram_search::SHORTEST;
use crate::progress::text::find::begins_with;

/// Many literals.
///
/// Most are long, and a search for their grams reads a text several times as fast as an automaton of all, which looks
/// at every byte. The few short ones have a pass of their own.
#[derive(Debug)]
pub struct Literals {
    long: GramSearch,
    short: ShortLiterals,
}

impl Literals {
    /// Prepares the search; found literals are named by their position.
    pub fn new(texts: &[&str]) -> Self {
        let named = texts.iter().enumerate().map(|(position, text)| (*text, position));
        let (long, short): (Vec<_>, Vec<_>) = named.partition(|(text, _)| text.len() >= SHORTEST);
        Self { long: GramSearch::new(long), short: ShortLiterals::new(&short, LiteralMatcher::new) }
    }

    /// Gives the position of every literal in the text and where it begins; one that is there twice is given twice.
    #[inline]
    pub fn for_each_in(&self, text: &[u8], mut sink: impl FnMut(usize, usize)) {
        self.long.for_each_in(text, &mut sink);
        self.short.for_each_in(text, &mut sink);
    }
}

#[derive(Debug)]
struct ShortLiterals {
    search: LiteralMatcher,
    /// For each literal that can be found, the names of all that begin where it begins and end in it.
    found: Vec<Vec<usize>>,
    /// For what is too short for the search.
    starts: Starts,
}

/// How literals begin. To look at each byte of a few is faster than to prepare a search.
#[derive(Debug)]
struct Starts {
    literals: Vec<(Vec<u8>, usize)>,
    /// By place and byte: in which groups of literals one has the byte there.
    groups: Box<[[u8; 256]; LOOKED_AT]>,
    shortest: usize,
}

/// Number of leading bytes that distinguish most texts from the literals.
const LOOKED_AT: usize = 3;
const GROUPS: usize = u8::BITS as usize;

/// One search for a few literals.
#[derive(Debug)]
pub(super) enum LiteralMatcher {
    /// With vector instructions; fast for a few literals.
    Packed(Box<Searcher>),
    /// On machines that lack them.
    Automaton(Box<AhoCorasick>),
}

impl ShortLiterals {
    fn new(literals: &[(&str, usize)], search: impl FnOnce(&[&str]) -> LiteralMatcher) -> Self {
        let texts: Vec<&str> = literals.iter().map(|(text, _)| *text).collect();
        let found = texts.iter().map(|text| {
            literals.iter().filter(|(start, _)| text.starts_with(start)).map(|(_, name)| *name).collect()
        });
        Self { search: search(&texts), found: found.collect(), starts: Starts::new(literals) }
    }

    fn for_each_in(&self, text: &[u8], sink: &mut impl FnMut(usize, usize)) {
        let (mut start, least) = (0, self.search.least());
        while text.len() - start >= least {
            let Some(literal) = self.search.find(text, start) else { return };
            self.found[literal.pattern().as_usize()].iter().for_each(|name| sink(*name, literal.start()));
            // Another one may lie in this one or begin in it.
            start = literal.start() + 1;
        }
        self.starts.for_each_in(&text[start..], &mut |name, at| sink(name, start + at));
    }
}

impl Starts {
    fn new(literals: &[(&str, usize)]) -> Self {
        let mut groups = Box::new([[0; 256]; LOOKED_AT]);
        for (position, (text, _)) in literals.iter().enumerate() {
            for (place, of_byte) in groups.iter_mut().enumerate() {
                let wanted = text.as_bytes().get(place);
                let (first, last) =
                    wanted.map_or((0, usize::from(u8::MAX)), |byte| (usize::from(*byte), usize::from(*byte)));
                of_byte[first..=last].iter_mut().for_each(|group| *group |= 1 << (position % GROUPS));
            }
        }
        let literals: Vec<_> =
            literals.iter().map(|(text, name)| (text.as_bytes().to_vec(), *name)).collect();
        let shortest = literals.iter().map(|(text, _)| text.len()).min().unwrap_or(usize::MAX);
        Self { literals, groups, shortest }
    }

    fn for_each_in(&self, text: &[u8], sink: &mut impl FnMut(usize, usize)) {
        let Some(last) = text.len().checked_sub(self.shortest) else { return };
        for at in 0..=last {
            let rest = &text[at..];
            let of_bytes = self.groups.iter().zip(rest);
            let groups = of_bytes.fold(u8::MAX, |groups, (group, byte)| groups & group[usize::from(*byte)]);
            if groups != 0 {
                let there = self.literals.iter().filter(|(literal, _)| begins_with(rest, literal));
                there.for_each(|(_, name)| sink(*name, at));
            }
        }
    }
}

impl LiteralMatcher {
    pub(super) fn new(texts: &[&str]) -> Self {
        let packed = packed::Config::new()
            .match_kind(packed::MatchKind::LeftmostLongest)
            .builder()
            .extend(texts)
            .build();
        packed.map(Box::new).map_or_else(|| Self::automaton(texts), Self::Packed)
    }

    fn automaton(texts: &[&str]) -> Self {
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .match_kind(MatchKind::LeftmostLongest)
            .build(texts)
            .expect("some short literals fit an automaton");
        Self::Automaton(Box::new(automaton))
    }

    /// The shortest text that it searches well.
    fn least(&self) -> usize {
        match self {
            Self::Packed(searcher) => searcher.minimum_len(),
            Self::Automaton(_) => 0,
        }
    }

    /// The first literal at or behind `start`, and of those that begin there the longest.
    pub(super) fn find(&self, text: &[u8], start: usize) -> Option<Match> {
        match self {
            Self::Packed(searcher) => searcher.find_in(text, Span { start, end: text.len() }),
            Self::Automaton(automaton) => automaton.find(Input::new(text).range(start..)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    fn in_text(literals: &Literals, text: &[u8]) -> BTreeSet<(usize, usize)> {
        let mut found = BTreeSet::new();
        literals.for_each_in(text, |position, at| {
            assert!(found.insert((position, at)), "each place is given once");
        });
        found
    }

    proptest! {
        #[test]
        fn every_literal_is_found_and_nothing_else(
            texts in proptest::collection::vec("[ab]{1,11}", 1..40),
            text in "[abc]{0,120}",
        ) {
            let (texts, text): (Vec<&str>, &str) = (texts.iter().map(String::as_str).collect(), &text);
            let texts = &texts;
            let at_all = |position: usize| {
                (0..text.len()).filter(move |at| text[*at..].starts_with(texts[position])).map(move |at| (position, at))
            };
            let there: BTreeSet<(usize, usize)> = (0..texts.len()).flat_map(at_all).collect();
            let mut literals = Literals::new(texts);
            prop_assert_eq!(&in_text(&literals, text.as_bytes()), &there);
            let named = texts.iter().enumerate().map(|(position, text)| (*text, position));
            let short: Vec<_> = named.filter(|(text, _)| text.len() < SHORTEST).collect();
            literals.short = ShortLiterals::new(&short, LiteralMatcher::automaton);
            prop_assert_eq!(&in_text(&literals, text.as_bytes()), &there);
        }
    }
}
