//! Which preset reads a log: the declared one, or with `auto` the one that the log shows.

use std::cell::OnceCell;

use super::needles::Seekers;
use crate::model::results::episode_list::EpisodeList;
use crate::progress::counts::bar::{Bar, Extent};
use crate::progress::format::{Format, LineMatch, LogFinding, Notes, Preset};
use crate::progress::text::line_prefix::behind_prefix;

/// The formats that may read one log.
#[derive(Debug)]
pub struct Chooser {
    /// The highest rank first.
    candidates: Vec<Candidate>,
    /// The position of the one that reads.
    chosen: Option<usize>,
    /// Seekers of the formats that can take its place.
    higher: Seekers,
    /// The bar on the line before, where the one that reads took it and no other one claimed it.
    steady: Option<Steady>,
    /// The name of the only bar that counts, where the sweep gives one.
    bar: Option<String>,
}

/// A bar that is not full yet. Its next drawing is nothing new to formats that do not read it.
#[derive(Debug)]
struct Steady {
    name: Vec<u8>,
    done: u64,
    total: u64,
}

impl Steady {
    /// The bar is the same, and has moved on but not to its end.
    fn goes_on(&mut self, bar: &Bar<'_>) -> bool {
        let Extent::Of { done, total } = bar.extent else { return false };
        let goes_on = total == self.total && (self.done..total).contains(&done) && bar.name == self.name;
        self.done = if goes_on { done } else { self.done };
        goes_on
    }

    fn of(bar: &Bar<'_>) -> Option<Self> {
        let Extent::Of { done, total } = bar.extent else { return None };
        (done < total).then(|| Self { name: bar.name.to_vec(), done, total })
    }
}

#[derive(Debug)]
struct Candidate {
    seeker: Seekers,
    /// Its position in the table.
    place: usize,
    preset: &'static Preset,
    /// Made when it first looks at a line: to most formats no line of a log says anything, and a chooser is made
    /// wherever a run is over.
    format: Option<Box<dyn Format>>,
}

/// The outcome of reading a line.
#[derive(Debug, Clone, Copy)]
pub enum LineReadResult {
    /// No format reads it, or only one that was not chosen.
    Nothing,
    /// The chosen format read it.
    Read,
    /// Its format was chosen just now, perhaps in place of a lower one, whose notes are void.
    Settled(&'static Preset),
}

impl Candidate {
    fn format(&mut self) -> &mut dyn Format {
        self.format.get_or_insert_with(self.preset.begin).as_mut()
    }

    /// Lets the format look at the line without so many bytes at its start.
    fn look(&mut self, line: &[u8], left_out: usize, bar: Option<&Bar<'_>>, notes: &mut Notes) -> LineMatch {
        notes.clear();
        notes.places.show(self.place, left_out);
        match bar {
            Some(bar) => self.format().read_bar(bar, line, notes),
            None => self.format().read(line, notes),
        }
    }
}

/// Returns the text behind a prefix, and the bar in it.
fn words_of(line: &[u8], holds_bar: bool) -> Option<(&[u8], Option<Bar<'_>>)> {
    let words = behind_prefix(line)?;
    Some((words, holds_bar.then(|| Bar::parse(words)).flatten()))
}

impl Chooser {
    /// A chooser among these; where there is only one, it is chosen. Presets of bars read that of this name alone.
    pub fn new(presets: &[&'static Preset], bar: Option<&str>) -> Self {
        let mut candidates: Vec<_> = presets
            .iter()
            .enumerate()
            .map(|(position, preset)| Candidate {
                seeker: Seekers::preset(position),
                place: position,
                preset,
                format: None,
            })
            .collect();
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.preset.rank));
        let mut chooser = Self {
            candidates,
            chosen: None,
            higher: Seekers::default(),
            steady: None,
            bar: bar.map(str::to_owned),
        };
        if chooser.candidates.len() == 1 {
            chooser.choose(0);
        }
        chooser
    }

    /// The same, but for this preset.
    pub fn without(mut self, preset: Option<&'static Preset>) -> Self {
        let is_other =
            |candidate: &Candidate| preset.is_none_or(|preset| !std::ptr::eq(candidate.preset, preset));
        self.candidates.retain(is_other);
        self
    }

    fn choose(&mut self, position: usize) {
        self.candidates[position].format();
        let rank = self.candidates[position].preset.rank;
        let higher = self.candidates.iter().filter(|candidate| candidate.preset.rank > rank);
        self.higher = Seekers::all(higher.map(|candidate| candidate.seeker));
        self.chosen = Some(position);
    }

    /// The preset that reads.
    pub fn chosen(&self) -> Option<&'static Preset> {
        self.chosen.map(|position| self.candidates[position].preset)
    }

    /// Returns the place of the preset that reads among those that were given.
    pub fn place_of_chosen(&self) -> Option<usize> {
        self.chosen.map(|position| self.candidates[position].place)
    }

    /// Notes the totals of the format that reads.
    pub fn totals(&self, notes: &mut Notes) {
        notes.clear();
        if let Some(format) = self.reader() {
            format.totals(notes);
        }
    }

    /// The format that reads.
    fn reader(&self) -> Option<&dyn Format> {
        self.chosen.and_then(|position| self.candidates[position].format.as_deref())
    }

    /// How single episodes ended, by the format that reads.
    pub fn episodes(&self) -> Option<EpisodeList> {
        self.reader().and_then(Format::episodes)
    }

    /// Reports whether all that the format that reads has counted is over, in a single round.
    pub fn ends_round(&self) -> bool {
        self.reader().is_some_and(Format::ends_round)
    }

    /// Reports whether the last of what the format that reads counts was begun.
    pub fn is_at_last(&self) -> bool {
        self.reader().is_some_and(Format::is_at_last)
    }

    /// Returns what the format that reads has to say at the end of the log.
    pub fn closing(&self) -> Vec<LogFinding> {
        self.reader().map_or_else(Vec::new, Format::closing)
    }

    /// Lets the formats that may read the line, and look for something in it, do so. One to which it says nothing gets
    /// the text behind the prefix of a logger; none reads both, because it would count twice.
    pub fn read(&mut self, line: &[u8], consumers: Seekers, notes: &mut Notes) -> LineReadResult {
        let holds_bar = consumers.contains(Seekers::BAR);
        if let Some(position) = self.chosen
            && !holds_bar
            && self.bar.is_none()
            && consumers.among(self.higher).is_empty()
        {
            return self.read_alone(position, line, consumers, notes);
        }
        // Most bars are looked at by several formats.
        let bar = holds_bar.then(|| Bar::parse(line)).flatten();
        if let Some(name) = &self.bar {
            let is_named = |bar: Option<&Bar<'_>>| bar.is_some_and(|bar| bar.is_named(name));
            let words = || words_of(line, holds_bar).is_some_and(|(_, bar)| is_named(bar.as_ref()));
            if !is_named(bar.as_ref()) && !words() {
                return LineReadResult::Nothing;
            }
        }
        let goes_on = match (&mut self.steady, &bar) {
            (Some(steady), Some(bar)) => steady.goes_on(bar),
            (Some(_) | None, _) => false,
        };
        if !goes_on {
            self.steady = None;
        }
        let words = OnceCell::new();
        let chosen_rank = self.chosen.map(|position| self.candidates[position].preset.rank);
        // The highest rank comes first: nothing behind the one that reads can take its place.
        let (first, last) = match self.chosen {
            Some(position) if goes_on || consumers.among(self.higher).is_empty() => (position, position),
            Some(position) => (0, position),
            None => (0, self.candidates.len().saturating_sub(1)),
        };
        for (position, candidate) in self.candidates.iter_mut().enumerate().take(last + 1).skip(first) {
            let chosen = self.chosen == Some(position);
            if !consumers.contains(candidate.seeker) {
                continue;
            }
            if !chosen && (goes_on || chosen_rank.is_some_and(|rank| candidate.preset.rank <= rank)) {
                continue;
            }
            let mut look = candidate.look(line, 0, bar.as_ref(), notes);
            if look == LineMatch::Foreign
                && let Some((words, bar)) = words.get_or_init(|| words_of(line, holds_bar))
            {
                look = candidate.look(words, line.len() - words.len(), bar.as_ref(), notes);
            }
            match look {
                LineMatch::Plausible | LineMatch::Typical if chosen => {
                    if !goes_on {
                        self.steady = bar.as_ref().and_then(Steady::of);
                    }
                    return LineReadResult::Read;
                }
                LineMatch::Typical => {
                    let preset = candidate.preset;
                    self.choose(position);
                    return LineReadResult::Settled(preset);
                }
                LineMatch::Foreign | LineMatch::Plausible => {}
            }
        }
        notes.clear();
        LineReadResult::Nothing
    }

    /// The same for a line without a bar that can concern only the format that reads, as most lines can.
    fn read_alone(
        &mut self,
        position: usize,
        line: &[u8],
        consumers: Seekers,
        notes: &mut Notes,
    ) -> LineReadResult {
        self.steady = None;
        let candidate = &mut self.candidates[position];
        if consumers.contains(candidate.seeker) {
            let mut look = candidate.look(line, 0, None, notes);
            if look == LineMatch::Foreign
                && let Some(words) = behind_prefix(line)
            {
                look = candidate.look(words, line.len() - words.len(), None, notes);
            }
            if look != LineMatch::Foreign {
                return LineReadResult::Read;
            }
        }
        notes.clear();
        LineReadResult::Nothing
    }
}
