//! One search of a line for all literals that anything built in looks for: most lines hold none and cost nothing more.

use std::collections::BTreeMap;

use memchr::{memchr2_iter, memchr3_iter};

use super::stages::STAGES;
use crate::progress::counts::bar;
use crate::progress::counts::printed::{accuracy, share};
use crate::progress::format::{FRACTION, MOST_PRESETS, Preset, PresetRank};
use crate::progress::search::literals::Literals;
use crate::progress::text::find::find;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::line_shapes::shape_of;
use crate::progress::text::places::{MOST_PLACES, NeedleSet, Places};
use crate::progress::trouble::alerts::ErrorPattern;
use crate::progress::trouble::error_patterns::table::ERROR_PATTERNS;
use crate::progress::trouble::{renderer, traceback};

/// The literals, and who looks for each.
#[derive(Debug)]
pub struct Needles {
    literals: Literals,
    /// Meaning of a fraction, such as `4/5`.
    fraction: NeedleHits,
    /// Meaning of the start of a bar, and of a ruled bar. Both are so short that a search for them among the others
    /// would slow them down.
    bar: NeedleHits,
    rule: NeedleHits,
    /// Meaning of each literal, by its position.
    meanings: Vec<NeedleHits>,
    /// The one that reads: only where its literals are is noted.
    reader: Option<Reader>,
    /// The literals that have digits, each digit as `0`.
    with_digits: Vec<Vec<u8>>,
}

/// The format that reads, and which of its needles each literal is.
#[derive(Debug)]
struct Reader {
    place: usize,
    needles: Vec<Option<usize>>,
    searched: NeedleSet,
}

/// The meaning of the literals on a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NeedleHits {
    /// Seekers that have to look at the line.
    pub consumers: Seekers,
    error_patterns: ErrorPatternSet,
}

/// A set of error patterns, by their positions in the table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct ErrorPatternSet([u128; PARTS]);

/// A set of those who look for literals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seekers(u128);

/// Bit of the first preset. The bits behind the last one are those of other seekers.
const FIRST_PRESET: usize = 4;
const _: () = assert!(FIRST_PRESET + MOST_PRESETS <= 126, "rates and renderers have the bits from 126 on");

impl Seekers {
    /// The error patterns of trouble.
    pub const TROUBLE: Self = Self(1);
    /// The follower of tracebacks.
    pub const TRACEBACK: Self = Self(1 << 1);
    /// The stages besides the work.
    pub const STAGE: Self = Self(1 << 2);

    /// Formats that read progress bars.
    pub const BAR: Self = Self(1 << 3);

    /// Rates in the program's own words.
    pub const RATE: Self = Self(1 << 126);

    /// Search for the names of renderers.
    pub const RENDERER: Self = Self(1 << 127);

    /// The preset at this position of the table.
    pub const fn preset(position: usize) -> Self {
        Self(1 << (FIRST_PRESET + position))
    }

    /// Returns the set of all these seekers.
    pub fn all(each: impl Iterator<Item = Self>) -> Self {
        each.fold(Self::default(), |all, seeker| Self(all.0 | seeker.0))
    }

    /// Reports whether the set holds no seeker.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// All of `others` are in it.
    pub fn contains(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// Returns the seekers that are in `others` too.
    #[must_use]
    pub fn among(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// The positions of the presets in the set, the first one of the table first.
    pub fn presets(self) -> impl Iterator<Item = usize> {
        places_of_bits(self.0 >> FIRST_PRESET & ((1 << MOST_PRESETS) - 1))
    }

    /// The presets among these that read bars.
    pub fn of_bars(presets: &[&Preset]) -> Self {
        let mut bars = Self::BAR;
        let positions = (0..presets.len()).filter(|position| presets[*position].rank == PresetRank::Bar);
        for position in positions {
            bars.join(Self::preset(position));
        }
        bars
    }

    fn join(&mut self, others: Self) {
        self.0 |= others.0;
    }
}

impl NeedleHits {
    fn join(&mut self, more: &Self) {
        self.consumers.join(more.consumers);
        // The set of error patterns is large, and most literals are none.
        if more.consumers.contains(Seekers::TROUBLE) {
            self.error_patterns.join(more.error_patterns);
        }
    }

    fn by(consumers: Seekers) -> Self {
        Self { consumers, error_patterns: ErrorPatternSet::default() }
    }

    fn error_pattern(position: usize) -> Self {
        Self { consumers: Seekers::TROUBLE, error_patterns: ErrorPatternSet::of(position) }
    }

    /// The trouble that the line shows: the first pattern of which everything holds, also behind what a launcher puts
    /// before each line.
    pub fn trouble_on(self, line: &[u8]) -> Option<&'static ErrorPattern> {
        let holds_on = |words: &[u8]| {
            self.error_patterns
                .iter()
                .find(|error_pattern| error_pattern.given.holds(words, error_pattern.text))
        };
        holds_on(line).or_else(|| behind_prefix(line).and_then(holds_on))
    }
}

impl ErrorPatternSet {
    fn of(position: usize) -> Self {
        let mut parts = [0; PARTS];
        parts[position / BITS] = 1 << (position % BITS);
        Self(parts)
    }

    fn join(&mut self, others: Self) {
        for (part, other) in self.0.iter_mut().zip(others.0) {
            *part |= other;
        }
    }

    /// In the order of the table.
    fn iter(self) -> impl Iterator<Item = &'static ErrorPattern> {
        let parts = self.0.into_iter().enumerate();
        let positions =
            parts.flat_map(|(part, bits)| places_of_bits(bits).map(move |place| part * BITS + place));
        positions.map(|position| &ERROR_PATTERNS[position])
    }
}

/// The places of the bits that are set, the lowest first.
fn places_of_bits(mut left: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = left.trailing_zeros() as usize;
        (left != 0).then(|| {
            left &= left - 1;
            place
        })
    })
}

const BITS: usize = u128::BITS as usize;
const PARTS: usize = 3;

impl Reader {
    fn new(place: usize, own: &[&str], texts: &[&str]) -> Self {
        let needle =
            |text: &&str| own.iter().position(|own| own == text).filter(|needle| *needle < MOST_PLACES);
        let needles: Vec<Option<usize>> = texts.iter().map(needle).collect();
        let searched = NeedleSet::of(needles.iter().copied().flatten());
        Self { place, needles, searched }
    }
}

impl Needles {
    /// Creates a search for what these presets look for, and for all that does not depend on a preset.
    pub fn new(presets: &[&'static Preset]) -> Self {
        let reader = if let [preset] = presets { Some((0, preset.rank)) } else { None };
        Self::of(presets.iter().enumerate(), reader)
    }

    /// Creates a search for what the preset at this position looks for and those of a higher rank, and for all that
    /// does not depend on a preset.
    pub fn behind(presets: &[&'static Preset], position: usize) -> Self {
        let rank = presets[position].rank;
        Self::of(
            presets.iter().enumerate().filter(|(other, preset)| *other == position || preset.rank > rank),
            Some((position, rank)),
        )
    }

    /// The reader is given by its position and rank.
    fn of<'a>(
        presets: impl Iterator<Item = (usize, &'a &'static Preset)>,
        reader: Option<(usize, PresetRank)>,
    ) -> Self {
        const { assert!(ERROR_PATTERNS.len() <= PARTS * BITS, "error_patterns are a set of bits") };
        // Several look for the same literals, which are searched for once.
        let mut needles: BTreeMap<&'static str, NeedleHits> = BTreeMap::new();
        let mut add = |text: &'static str, found| needles.entry(text).or_default().join(&found);
        for (position, error_pattern) in ERROR_PATTERNS.iter().enumerate() {
            add(error_pattern.text, NeedleHits::error_pattern(position));
        }
        STAGES.iter().for_each(|stage| add(stage.text, NeedleHits::by(Seekers::STAGE)));
        traceback::NEEDLES.iter().for_each(|text| add(text, NeedleHits::by(Seekers::TRACEBACK)));
        renderer::NEEDLES.iter().for_each(|text| add(text, NeedleHits::by(Seekers::RENDERER)));
        bar::NEEDLES.iter().for_each(|text| add(text, NeedleHits::by(Seekers::BAR)));
        // The format of one program knows its rates itself.
        let reads_rates = reader.is_none_or(|(_, rank)| rank != PresetRank::Program);
        let reader = reader.map(|(position, _)| position);
        let rates = share::NEEDLES.iter().chain(&accuracy::NEEDLES).filter(|_| reads_rates);
        rates.for_each(|text| add(text, NeedleHits::by(Seekers::RATE)));
        let mut own: &[&str] = &[];
        for (position, preset) in presets {
            own = if reader == Some(position) { preset.needles } else { own };
            preset.needles.iter().for_each(|text| add(text, NeedleHits::by(Seekers::preset(position))));
        }
        let fraction = needles.remove(FRACTION).unwrap_or_default();
        let bar = needles.remove(bar::START).unwrap_or_default();
        let rule = needles.remove(bar::RULE).unwrap_or_default();
        let (texts, meanings): (Vec<&str>, Vec<NeedleHits>) = needles.into_iter().unzip();
        let reader = reader.map(|place| Reader::new(place, own, &texts));
        let with_digits = texts.iter().filter(|text| text.bytes().any(|byte| byte.is_ascii_digit()));
        let with_digits = with_digits.map(|text| shape_of(text.as_bytes())).collect();
        Self { literals: Literals::new(&texts), fraction, bar, rule, meanings, reader, with_digits }
    }

    /// Reports whether other digits on this line could make other literals of its text.
    pub fn depend_on_digits(&self, line: &[u8]) -> bool {
        let line = shape_of(line);
        self.with_digits.iter().any(|text| find(&line, text).is_some())
    }

    /// Returns what the literals on the line mean, and notes the places of those of the format that reads.
    pub fn on(&self, line: &[u8], places: &mut Places) -> NeedleHits {
        let mut found = NeedleHits::default();
        match &self.reader {
            Some(reader) => {
                places.begin(reader.place, reader.searched);
                self.literals.for_each_in(line, |position, at| {
                    found.join(&self.meanings[position]);
                    reader.needles[position].into_iter().for_each(|needle| places.add(needle, at));
                });
            }
            None => {
                places.forget();
                self.literals.for_each_in(line, |position, _| found.join(&self.meanings[position]));
            }
        }
        if self.fraction.consumers.is_empty() {
            memchr2_iter(b'%', RULE_END, line).for_each(|at| self.join_sign(&mut found, line, at));
        } else {
            memchr3_iter(b'%', RULE_END, b'/', line).for_each(|at| self.join_sign(&mut found, line, at));
        }
        found
    }

    /// Adds what the sign at this place of the line means, with its neighbours.
    fn join_sign(&self, found: &mut NeedleHits, line: &[u8], at: usize) {
        let next = line.get(at + 1);
        match line[at] {
            b'%' if next == Some(&b'|') => found.join(&self.bar),
            b'/' if next.is_some_and(|byte| byte.is_ascii_digit() || *byte == b' ') => {
                found.join(&self.fraction);
            }
            RULE_END if line[..=at].ends_with(bar::RULE.as_bytes()) => found.join(&self.rule),
            _ => {}
        }
    }
}

/// The last byte of the glyph that ruled bars are drawn with.
const RULE_END: u8 = bar::RULE.as_bytes()[bar::RULE.len() - 1];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::formats::presets::table::ALL;

    #[test]
    fn literals_within_literals_are_found() {
        let line = b"  Mean episode length: 12, torch.OutOfMemoryError: CUDA out of memory. Tried";
        let found = Needles::new(&ALL).on(line, &mut Places::default());
        let preset = |name| Seekers::preset(ALL.iter().position(|preset| preset.name == name).unwrap());
        assert!(found.consumers.contains(preset("rsl-rl")) && found.consumers.contains(preset("episode")));
        assert!(found.consumers.contains(Seekers::TROUBLE) && !found.consumers.contains(Seekers::STAGE));
        assert_eq!(
            found.trouble_on(line).map(|error_pattern| error_pattern.text),
            Some("torch.OutOfMemoryError: ")
        );
        assert_eq!(
            Needles::new(&ALL).on(b"nothing to see here", &mut Places::default()),
            NeedleHits::default()
        );
    }
}
