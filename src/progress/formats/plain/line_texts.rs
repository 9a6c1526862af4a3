//! The texts by which the lines of a format are known: each is looked for at most once on a line.

use crate::model::logs::log_format::Texts;
use crate::progress::text::find::{Sought, find};
use crate::progress::text::line_shapes::shape_of;
use crate::progress::text::places::Places;

/// So many different texts a format may have: they are the bits of a set.
pub const MOST_TEXTS: usize = u64::BITS as usize;

/// All texts of a format.
#[derive(Debug, Default)]
pub struct TextTable {
    texts: Vec<(&'static str, Sought)>,
    /// The texts that hold a needle, by its position: where it lacks, they do too.
    by_needle: Vec<(usize, u64)>,
}

/// The texts of one line, by their positions in the table.
#[derive(Debug)]
pub struct LineTexts {
    first: usize,
    /// All of them, those that are found fastest first.
    all: Vec<usize>,
    set: u64,
}

/// What is known of the texts on the line that is read.
#[derive(Debug)]
pub struct TextsOnLine {
    known: u64,
    here: u64,
    at: [usize; MOST_TEXTS],
}

impl Default for TextsOnLine {
    fn default() -> Self {
        Self { known: 0, here: 0, at: [0; MOST_TEXTS] }
    }
}

impl TextTable {
    /// Returns the position of a text, which lives as long as the process.
    pub fn add(&mut self, text: &str, needles: &[&str]) -> usize {
        if let Some(known) = self.texts.iter().position(|(known, _)| *known == text) {
            return known;
        }
        let (place, text) = (self.texts.len(), keep(text));
        let sought = Sought::among(needles, text);
        if let Some(needle) = sought.needle() {
            match self.by_needle.iter_mut().find(|(known, _)| *known == needle) {
                Some((_, set)) => *set |= bit(place),
                None => self.by_needle.push((needle, bit(place))),
            }
        }
        self.texts.push((text, sought));
        place
    }

    /// Reports whether other digits on this line could make other texts of it.
    pub fn depend_on_digits(&self, line: &[u8]) -> bool {
        let with_digits = |text: &&str| text.contains(|letter: char| letter.is_ascii_digit());
        let mut texts = self.texts.iter().map(|(text, _)| *text).filter(with_digits);
        let line = shape_of(line);
        texts.any(|text| find(&line, &shape_of(text.as_bytes())).is_some())
    }

    /// The line begins with the first text.
    pub fn begins(&self, texts: &LineTexts, line: &[u8]) -> bool {
        self.texts[texts.first].1.begins(line)
    }
}

impl LineTexts {
    /// The texts of a line, of which a value may follow the first.
    pub fn new(text: &str, with: &Texts, needles: &[&str], table: &mut TextTable) -> Self {
        let first = table.add(text, needles);
        let mut all = vec![first];
        all.extend(with.as_slice().iter().map(|text| table.add(text, needles)));
        all.sort_by_key(|place| !table.texts[*place].1.holds_needle());
        Self { first, set: all.iter().fold(0, |set, place| set | bit(*place)), all }
    }
}

fn bit(place: usize) -> u64 {
    1 << (place % MOST_TEXTS)
}

impl TextsOnLine {
    /// Begins a line on which the needles are at these places.
    #[inline]
    pub fn begin(&mut self, table: &TextTable, places: &Places) {
        let lacking = table.by_needle.iter().filter(|(needle, _)| places.lack(*needle));
        (self.known, self.here) = (lacking.fold(0, |known, (_, set)| known | set), 0);
    }

    /// Returns where a text begins on the line.
    #[inline]
    fn place_of(&mut self, text: usize, table: &TextTable, line: &[u8], places: &Places) -> Option<usize> {
        if self.known & bit(text) == 0 {
            self.known |= bit(text);
            if let Some(at) = table.texts[text].1.on_among(line, places) {
                self.here |= bit(text);
                self.at[text] = at;
            }
        }
        (self.here & bit(text) != 0).then(|| self.at[text])
    }

    /// Returns where a text ends on the line.
    pub fn end_of_text(
        &mut self,
        text: usize,
        table: &TextTable,
        line: &[u8],
        places: &Places,
    ) -> Option<usize> {
        self.place_of(text, table, line, places).map(|at| at + table.texts[text].0.len())
    }

    /// Returns where the first text ends on the line, where it holds the others too.
    pub fn end_of(
        &mut self,
        texts: &LineTexts,
        table: &TextTable,
        line: &[u8],
        places: &Places,
    ) -> Option<usize> {
        // Most lines lack most texts.
        if texts.set & self.known & !self.here != 0 {
            return None;
        }
        let mut all = texts.all.iter();
        all.all(|text| self.place_of(*text, table, line, places).is_some())
            .then(|| self.at[texts.first] + table.texts[texts.first].0.len())
    }
}

/// The text for as long as the process runs: formats live so long.
pub fn keep(text: &str) -> &'static str {
    text.to_owned().leak()
}
