//! What a preset is: a name, the literals its lines hold, and a reader of single lines.

use std::fmt;
use std::ops::RangeInclusive;

use super::counts::bar::Bar;
use super::counts::steps_beside::StepsDone;
use super::text::places::Places;
use crate::model::logs::metric_name::MetricName;
use crate::model::outcome::Progress;
use crate::model::results::episode_list::EpisodeList;
use crate::model::sweep::rule::BuiltInRule;

/// Placeholder among the needles of a preset for a stroke before a digit or a blank: every line with a count holds one,
/// and ten short literals in its place would slow down the search for all others.
pub const FRACTION: &str = "/#";

/// Presets that a set of them has bits for.
pub const MOST_PRESETS: usize = 120;

/// A log format that is known by name.
pub struct Preset {
    /// Its name in `[progress] preset`.
    pub name: &'static str,
    /// Plural noun for the units that its progress counts.
    pub unit: &'static str,
    /// How much its lines prove; `auto` takes the highest that shows itself.
    pub rank: PresetRank,
    /// Every line it reads holds one of these.
    pub needles: &'static [&'static str],
    /// Returns a reader for the start of a log.
    pub begin: &'static (dyn Fn() -> Box<dyn Format> + Send + Sync),
}

impl fmt::Debug for Preset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Preset({})", self.name)
    }
}

/// How much a typical line of a preset proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PresetRank {
    /// Counts in words that know no end: they say how far a program is, and nothing more.
    Open,
    /// A bar: any part of a program may draw one.
    Bar,
    /// Counts in words: any part of a program may count.
    Count,
    /// A manner of speaking that many programs share.
    Manner,
    /// The words of one program.
    Program,
}

/// Reads the lines of one log.
pub trait Format: fmt::Debug + Send {
    /// Notes what the line says, and returns how the line looks.
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch;

    /// The same for a line that holds this bar: all formats share one reading of it.
    fn read_bar(&mut self, _bar: &Bar<'_>, line: &[u8], notes: &mut Notes) -> LineMatch {
        self.read(line, notes)
    }

    /// Notes metrics that every line changes. They are asked for when the log is read as far as it goes: to note them
    /// on each line would cost more than to read it.
    fn totals(&self, _notes: &mut Notes) {}

    /// Lists how single episodes ended, where the log says so; called at the end of the log.
    fn episodes(&self) -> Option<EpisodeList> {
        None
    }

    /// Reports whether all that it counted is over, in a single round: asked at the end of the log.
    fn ends_round(&self) -> bool {
        false
    }

    /// Reports whether the last of what it counts was begun, so that words at the end of the log end that too.
    fn is_at_last(&self) -> bool {
        false
    }

    /// Returns what only the whole log shows, at its end, about the worth of its results.
    fn closing(&self) -> Vec<LogFinding> {
        Vec::new()
    }
}

/// Something about the results that only the whole log shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFinding {
    /// The rule that decides what it means.
    pub rule: BuiltInRule,
    /// Message of one line for people, with its figures.
    pub message: String,
}

/// How a line looks to a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineMatch {
    /// The line says nothing and was forgotten: the text after a prefix may still be read.
    Foreign,
    /// The line belongs to the format, but other programs print it too.
    Plausible,
    /// No other program prints such a line.
    Typical,
}

/// Notes on what one line says.
#[derive(Debug, Default)]
pub struct Notes {
    /// How much is done.
    pub progress: Option<Progress>,
    /// Unit of the progress, where it differs from the unit of the preset.
    pub unit: Option<&'static str>,
    /// How much of the next one is done.
    pub part: Option<Progress>,
    /// Total of the tasks whose episodes the progress counts together.
    pub tasks: Option<u64>,
    /// Steps next to what the progress counts, whose total may be known where that of the progress is not.
    pub steps: Option<StepsDone>,
    /// A total of so many that was announced is none of the progress: only another line can say that all is done.
    pub doubted_totals: Option<RangeInclusive<u64>>,
    /// Number of items that such work usually has, where no line says it: it is shown, and proves nothing.
    pub usual_total: Option<u64>,
    /// New values of metrics, already reduced over the log so far.
    pub metrics: Vec<(MetricName, f64)>,
    /// True when the line says that all work is complete.
    pub finished: bool,
    /// True for a summary, which the program would print after an error too: only the lines that follow show whether
    /// all is complete.
    pub summed: bool,
    /// More is to be done than what was said to be complete.
    pub resumes: bool,
    /// Another run of the program began: the figures are its own.
    pub restarts: bool,
    /// The progress may be that of a part of the work: where it was not declared, it proves neither that all was done
    /// nor that something is missing.
    pub is_doubtful: bool,
    /// The last one may be over without a word: the progress proves nothing of its end, also where it was declared.
    pub is_open: bool,
    /// True when the progress is surely that of the whole work, also where only `auto` picked the preset.
    pub is_sure: bool,
    /// The number of the line, which is there before it is read.
    pub line: u64,
    /// Where the needles of the format are on it, which is there too.
    pub places: Places,
}

impl Notes {
    /// Notes how much is done.
    pub fn progress(&mut self, done: u64, total: Option<u64>) {
        self.progress = Some(Progress { done, total });
    }

    /// Notes how much is done of something else than the preset counts.
    pub fn progress_in(&mut self, unit: &'static str, done: u64, total: Option<u64>) {
        self.unit = Some(unit);
        self.progress(done, total);
    }

    /// Notes how much is done of the next one that the progress counts.
    pub fn part(&mut self, done: u64, total: u64) {
        self.part = Some(Progress { done, total: Some(total) });
    }

    /// Notes a metric's new value.
    pub fn metric(&mut self, name: impl Into<MetricName>, value: f64) {
        self.metrics.push((name.into(), value));
    }

    /// Forgets the line before.
    pub fn clear(&mut self) {
        self.progress = None;
        self.unit = None;
        self.part = None;
        self.tasks = None;
        self.steps = None;
        self.doubted_totals = None;
        self.usual_total = None;
        self.metrics.clear();
        self.finished = false;
        self.summed = false;
        self.resumes = false;
        self.restarts = false;
        self.is_doubtful = false;
        self.is_open = false;
        self.is_sure = false;
    }
}
