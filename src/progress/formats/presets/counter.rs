//! Programs that count their work in words: `Episode 3/100: success`, `[ 12/40] grasp: OK`, `Task 2 of 10`.

use crate::progress::counts::bar;
use crate::progress::counts::bar::Bar;
use crate::progress::counts::bars_beside::BarsBeside;
use crate::progress::counts::count_levels::CountLevels;
use crate::progress::counts::count_remark::CountRemark;
use crate::progress::counts::count_units::EPOCHS;
use crate::progress::counts::episode_values::Counted;
use crate::progress::counts::episode_values::EpisodeMeans;
use crate::progress::counts::preparation::is_preparation;
use crate::progress::counts::printed::share;
use crate::progress::counts::text_count;
use crate::progress::counts::text_count::TextCounts;
use crate::progress::format::{FRACTION, Format, LineMatch, Notes, Preset, PresetRank};

/// Any count of work, the outermost of several. It proves something only where it was declared.
pub const PRESET: Preset = Preset {
    name: "counter",
    unit: "items",
    rank: PresetRank::Count,
    needles: NEEDLES,
    begin: &|| Box::new(WordCounter::default()),
};

/// A stroke, because whatever a line counts, it has a total; and what is printed when all is done.
const NEEDLES: &[&str] = &[
    FRACTION,
    " of ",
    "pisode",
    "rial ",
    "ollout ",
    share::NEEDLES[0],
    share::NEEDLES[1],
    share::NEEDLES[2],
    share::NEEDLES[3],
    share::NEEDLES[4],
    share::NEEDLES[5],
    share::NEEDLES[6],
    share::NEEDLES[7],
    share::NEEDLES[8],
    share::NEEDLES[9],
    share::NEEDLES[10],
    share::NEEDLES[11],
    share::NEEDLES[12],
    share::NEEDLES[13],
    share::NEEDLES[14],
    share::NEEDLES[15],
    share::NEEDLES[16],
    share::NEEDLES[17],
    "valuation complete",
    "valuation finished",
    "valuation done",
    "ompleted all ",
    "inished all ",
    "inal results",
    "inal Results",
    "FINAL RESULTS",
    "inal report",
    "inal Report",
    "FINAL REPORT",
    "] DONE",
    "] Done",
    "] done",
    "完成",
    bar::NEEDLES[0],
    bar::NEEDLES[1],
    bar::NEEDLES[2],
    bar::NEEDLES[3],
    bar::NEEDLES[4],
    bar::NEEDLES[5],
];

/// Reads the counts of a log.
#[derive(Debug, Default)]
struct WordCounter {
    levels: CountLevels,
    values: EpisodeMeans,
    /// How deep what the values are of lies.
    valued: u8,
    bars: BarsBeside,
    recognised: bool,
    tags: Tags,
}

/// The names in brackets before the counts.
#[derive(Debug, Default)]
struct Tags {
    first: Option<Vec<u8>>,
    /// Several speak in this log, or one of them without a name.
    differ: bool,
}

impl Tags {
    fn take(&mut self, tag: Option<&[u8]>) {
        match (&self.first, tag) {
            (None, Some(tag)) => self.first = Some(tag.to_vec()),
            (Some(first), tag) => self.differ |= tag != Some(first.as_slice()),
            (None, None) => self.differ = true,
        }
    }

    /// `[math] DONE | reward=0.9`: the only one that counts says that it is done.
    fn says_done(&self, line: &[u8]) -> bool {
        let words = |first: &Vec<u8>| line.trim_ascii_start().strip_prefix(first.as_slice());
        let Some(words) = self.first.as_ref().filter(|_| !self.differ).and_then(words) else { return false };
        let words = words.trim_ascii();
        let behind = words.get(4..).unwrap_or_default().trim_ascii_start();
        let is_word = words.get(..4).is_some_and(|word| word.eq_ignore_ascii_case(b"done"));
        is_word && behind.first().is_none_or(|byte| b"|:.!(-".contains(byte))
    }
}

impl Format for WordCounter {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        // A torn bar counts its own steps.
        if memchr::memchr_iter(b'%', line).any(|at| line.get(at + 1) == Some(&b'|')) {
            return LineMatch::Foreign;
        }
        match text_count::on_line(line) {
            Some(counted) => {
                self.tags.take(text_count::tag_on(line));
                self.count(&counted, notes)
            }
            None => self.remark(line, notes),
        }
    }

    fn read_bar(&mut self, bar: &Bar<'_>, _line: &[u8], notes: &mut Notes) -> LineMatch {
        // A bar that is drawn again was looked at before.
        if !self.bars.is_newest(bar) && is_preparation(bar) {
            return LineMatch::Foreign;
        }
        self.bars.take(bar);
        if !self.recognised {
            return LineMatch::Foreign;
        }
        if self.bars.ends_round(bar) {
            self.levels.end_round();
        }
        self.note(notes);
        // A bar of as many steps counts the same as the line.
        let outer = notes.progress.and_then(|progress| progress.total);
        let part = bar.total().filter(|total| notes.part.is_none() && Some(*total) != outer);
        if let Some(total) = part.filter(|total| bar.done() < *total) {
            notes.part(bar.done(), total);
        }
        LineMatch::Plausible
    }

    fn ends_round(&self) -> bool {
        self.levels.is_believed_round()
    }

    fn is_at_last(&self) -> bool {
        self.levels.is_at_last()
    }

    fn totals(&self, notes: &mut Notes) {
        let counted = match (self.levels.is_nameless(), self.levels.counts_each()) {
            (false, true) => Counted::EachEpisode,
            (true, true) => Counted::EachItem,
            (true | false, false) => Counted::Sample,
        };
        self.values.note(counted, notes);
    }
}

impl WordCounter {
    fn count(&mut self, counted: &TextCounts<'_>, notes: &mut Notes) -> LineMatch {
        let outermost = counted.counts().next();
        let taken = self.levels.take(counted, notes.line);
        if taken.counts_on {
            self.bars.begin_round();
        }
        if taken.is_over {
            self.add_values(counted, notes);
        }
        let is_held = self.bars.hold(outermost.and_then(|count| count.total));
        let is_typical = self.levels.is_certain() && !is_held;
        self.recognised |= is_typical;
        // Epochs alone are no work of this preset; those that hold what it counts are.
        if !self.levels.is_certain() && !self.recognised {
            return LineMatch::Plausible;
        }
        self.note(notes);
        if is_typical { LineMatch::Typical } else { LineMatch::Plausible }
    }

    /// Adds what the line says of the episode that is over, or of whatever is evaluated one by one.
    fn add_values(&mut self, counted: &TextCounts<'_>, notes: &mut Notes) {
        let Some(word) = counted.counts().last().map(|count| count.word) else { return };
        let is_evaluated = (1..=3).contains(&word.order) && word.unit != EPOCHS;
        if !is_evaluated || word.order < self.valued {
            return;
        }
        if word.order > self.valued {
            // What was added so far were sums of these.
            self.values = EpisodeMeans::default();
            self.valued = word.order;
        }
        self.values.add(counted.behind, counted.outcome, notes);
    }

    /// Reads a line that counts nothing, but may say that all is done, or how many succeeded.
    fn remark(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        if !self.recognised {
            return LineMatch::Foreign;
        }
        if self.tags.says_done(line) {
            self.end(notes);
            return LineMatch::Plausible;
        }
        let Some(said) = CountRemark::on(line) else { return LineMatch::Foreign };
        match said {
            CountRemark::Share(share) => {
                self.values.printed(share);
                if let Some(rate) = self.values.printed_rate() {
                    notes.metric("success_rate", rate);
                }
            }
            CountRemark::IsComplete => self.levels.close(),
            CountRemark::IsFinal => {
                self.end(notes);
                return LineMatch::Plausible;
            }
        }
        self.note(notes);
        LineMatch::Plausible
    }

    /// Closes the counts, because nothing more comes: with the last of the only round, all is done.
    fn end(&mut self, notes: &mut Notes) {
        self.levels.close();
        self.note(notes);
        notes.summed = self.levels.is_all_of_one_round();
    }

    fn note(&self, notes: &mut Notes) {
        let Some(count) = self.levels.count() else { return };
        notes.progress_in(count.unit, count.done, count.total);
        notes.doubted_totals = self.levels.doubted_epochs();
        if let Some((done, total)) = count.part {
            notes.part(done, total);
        }
    }
}
