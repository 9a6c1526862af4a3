//! Which preset reads a log: the declared one, or with `auto` the one that the log shows.

use std::cell::OnceCell;

use super::needles::Seekers;
use crate::model::results::episode_list::EpisodeList;
use crate::progress::counts::bar::{Bar, Extent};
use crate::progress::format::{Format, LineMatch, LogFinding, Notes, Preset};
use crate::progress::text::find::are_same;
use crate::progress::text::line_prefix::behind_prefix;

/// The formats that may read one log.
#[derive(Debug)]
pub struct Chooser {
    /// The highest rank first: nothing behind the one that reads can take its place.
    presets: &'static [&'static Preset],
    /// By preset. Made when it first looks at a line: to most formats no line of a log says anything, and a chooser is
    /// made wherever a run is over.
    formats: Vec<Option<Box<dyn Format>>>,
    /// Seekers of the formats that may read.
    candidates: Seekers,
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
        let goes_on =
            total == self.total && (self.done..total).contains(&done) && are_same(bar.name, &self.name);
        self.done = if goes_on { done } else { self.done };
        goes_on
    }

    fn of(bar: &Bar<'_>) -> Option<Self> {
        let Extent::Of { done, total } = bar.extent else { return None };
        (done < total).then(|| Self { name: bar.name.to_vec(), done, total })
    }
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

/// Returns the text behind a prefix, and the bar in it.
fn words_of(line: &[u8], holds_bar: bool) -> Option<(&[u8], Option<Bar<'_>>)> {
    let words = behind_prefix(line)?;
    Some((words, holds_bar.then(|| Bar::parse(words)).flatten()))
}

impl Chooser {
    /// A chooser among these; where there is only one, it is chosen. Presets of bars read that of this name alone.
    pub fn new(presets: &'static [&'static Preset], bar: Option<&str>) -> Self {
        let mut chooser = Self {
            presets,
            formats: presets.iter().map(|_| None).collect(),
            candidates: Seekers::all((0..presets.len()).map(Seekers::preset)),
            chosen: None,
            higher: Seekers::default(),
            steady: None,
            bar: bar.map(str::to_owned),
        };
        if presets.len() == 1 {
            chooser.choose(0);
        }
        chooser
    }

    /// The same, but for the preset at this position.
    pub fn without(mut self, position: Option<usize>) -> Self {
        let others = (0..self.presets.len()).filter(|other| Some(*other) != position);
        self.candidates = Seekers::all(others.map(Seekers::preset));
        self
    }

    fn choose(&mut self, position: usize) {
        self.format(position);
        let higher = (0..position).filter(|other| self.presets[*other].rank > self.presets[position].rank);
        self.higher = Seekers::all(higher.map(Seekers::preset)).among(self.candidates);
        self.chosen = Some(position);
    }

    fn format(&mut self, position: usize) -> &mut dyn Format {
        self.formats[position].get_or_insert_with(self.presets[position].begin).as_mut()
    }

    /// Lets a format look at the line without so many bytes at its start.
    fn look(
        &mut self,
        position: usize,
        (line, left_out): (&[u8], usize),
        bar: Option<&Bar<'_>>,
        notes: &mut Notes,
    ) -> LineMatch {
        notes.clear();
        notes.places.show(position, left_out);
        match bar {
            Some(bar) => self.format(position).read_bar(bar, line, notes),
            None => self.format(position).read(line, notes),
        }
    }

    /// The preset that reads.
    pub fn chosen(&self) -> Option<&'static Preset> {
        self.chosen.map(|position| self.presets[position])
    }

    /// Returns the position of the preset that reads among those that were given.
    pub fn place_of_chosen(&self) -> Option<usize> {
        self.chosen
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
        self.chosen.and_then(|position| self.formats[position].as_deref())
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
        let chosen = self.chosen.map_or_else(Seekers::default, Seekers::preset);
        // What others may claim is nothing new on a bar that only moves on.
        let may_claim = match self.chosen {
            Some(_) if goes_on => chosen,
            Some(_) => Seekers::all([chosen, self.higher].into_iter()),
            None => self.candidates,
        };
        for position in consumers.among(may_claim).presets() {
            let is_chosen = self.chosen == Some(position);
            let mut look = self.look(position, (line, 0), bar.as_ref(), notes);
            if look == LineMatch::Foreign
                && let Some((words, bar)) = words.get_or_init(|| words_of(line, holds_bar))
            {
                look = self.look(position, (words, line.len() - words.len()), bar.as_ref(), notes);
            }
            match look {
                LineMatch::Plausible | LineMatch::Typical if is_chosen => {
                    if !goes_on {
                        self.steady = bar.as_ref().and_then(Steady::of);
                    }
                    return LineReadResult::Read;
                }
                LineMatch::Typical => {
                    self.choose(position);
                    return LineReadResult::Settled(self.presets[position]);
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
        if consumers.contains(Seekers::preset(position)) {
            let mut look = self.look(position, (line, 0), None, notes);
            if look == LineMatch::Foreign
                && let Some(words) = behind_prefix(line)
            {
                look = self.look(position, (words, line.len() - words.len()), None, notes);
            }
            if look != LineMatch::Foreign {
                return LineReadResult::Read;
            }
        }
        notes.clear();
        LineReadResult::Nothing
    }
}
