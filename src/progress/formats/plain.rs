//! Formats of programs that count on plain lines, written down as data: which text comes before what number.

use crate::progress::counts::bar::Bar;
use crate::progress::counts::preparation::is_preparation;
use crate::progress::format::{Format, LineMatch, Notes};
use crate::progress::text::find::Sought;
use crate::progress::text::number::{leading_f64, leading_grouped, leading_scaled, leading_u64};
use crate::progress::text::places::Places;

/// The form of the lines that one program prints.
#[derive(Debug)]
pub struct Plain {
    /// Lines that report how much is done.
    pub counts: &'static [CountLine],
    /// Texts that come before the total.
    pub totals: &'static [Sought],
    /// Lines that say that all is done, once something was counted: all texts of a group are on the same line.
    pub finished: &'static [&'static [Sought]],
    /// Lines that say so even where an error ended it, which comes behind them.
    pub summed: &'static [Sought],
    /// Metrics: the name, what else the line holds, and the text before the number.
    pub metrics: &'static [(&'static str, Sought, Sought)],
    /// The bar that counts the same work.
    pub bar: WorkBar,
    /// A count that has reached its total proves nothing without a line that says so.
    pub waits_for_end: bool,
    /// Texts on the last line: before how many seconds it took, and before how many were done in each.
    pub speed: Option<(Sought, Sought)>,
}

/// A line that counts.
#[derive(Debug)]
pub struct CountLine {
    /// Text that such a line holds.
    pub text: Sought,
    /// Another text that the line holds.
    pub also: Sought,
    /// How such a line counts.
    pub how: How,
}

/// How a line counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// The number behind the text is done, with a total behind a stroke or not; `12.6k/30.0k` too.
    Number,
    /// The number at the start of the line is done.
    Leading,
    /// Each line that begins so is one more, which succeeded where the number behind this text is at least this one.
    Each(Option<(Sought, u64)>),
    /// The line counts nothing, but no other program prints it.
    Mark,
}

/// The bar that counts the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkBar {
    /// No bar counts the work.
    None,
    /// The first one without a name.
    Nameless,
    /// Bars whose name has this form.
    Named {
        /// Text with which the name begins.
        begins: &'static str,
        /// Text with which the name ends.
        ends: &'static str,
        /// Whether no other program draws such a bar.
        is_sure: bool,
    },
}

/// Reads one log of such a program.
#[derive(Debug)]
pub struct PlainReader {
    plain: &'static Plain,
    done: u64,
    total: Option<u64>,
    successes: u64,
    recognised: bool,
    /// Was rounded, so that it may be a little less than its total.
    is_rounded: bool,
}

impl PlainReader {
    /// A reader at the start of a log.
    pub fn new(plain: &'static Plain) -> Self {
        Self { plain, done: 0, total: None, successes: 0, recognised: false, is_rounded: false }
    }

    fn count(&mut self, line: &[u8], notes: &mut Notes) -> Option<()> {
        let places = &notes.places;
        let (count, behind) = self.plain.counts.iter().find_map(|count| {
            let behind = value_on(&count.text, &count.also, line, places)?;
            Some((count, behind.trim_ascii_start()))
        })?;
        match count.how {
            How::Number => {
                // `-/30000`: nothing yet.
                let none =
                    || behind.strip_prefix(b"-").filter(|rest| rest.starts_with(b"/")).map(|rest| (0, rest));
                let (done, rest) =
                    leading_grouped(behind).or_else(|| leading_scaled(behind)).or_else(none)?;
                self.done = done;
                self.is_rounded = behind[..behind.len() - rest.len()].ends_with(b"k");
                if let Some(slash) = memchr::memchr(b'/', rest).filter(|at| *at <= 4) {
                    self.total = leading_scaled(&rest[slash + 1..]).map(|(total, _)| total).or(self.total);
                }
            }
            How::Leading => {
                let (done, rest) = leading_u64(line)?;
                count.text.begins(rest).then_some(())?;
                self.done = done;
            }
            How::Each(success) => {
                count.text.begins(line).then_some(())?;
                self.done += 1;
                if let Some((text, full)) = success {
                    let value = text.behind_among(line, places).and_then(leading_f64)?;
                    self.successes += u64::from(value >= full as f64);
                }
            }
            How::Mark => {
                // Bars, which are not buffered, come before the lines that say whose they are.
                if !std::mem::replace(&mut self.recognised, true) && self.total.is_some() && self.done > 0 {
                    self.note(notes);
                }
                return Some(());
            }
        }
        self.recognised = true;
        self.note(notes);
        Some(())
    }

    fn note(&self, notes: &mut Notes) {
        notes.progress(self.done, self.total);
        let is_full = self.total.is_some_and(|total| self.done >= total);
        notes.is_open = is_full && (self.plain.waits_for_end || self.is_rounded);
        let tells_success =
            self.plain.counts.iter().any(|count| matches!(count.how, How::Each(Some(_)))) && self.done > 0;
        if tells_success {
            notes.metric("episodes", self.done as f64);
            notes.metric("successes", self.successes as f64);
            notes.metric("success_rate", self.successes as f64 / self.done as f64);
        }
    }

    /// Takes that all was done, where the line gives the time it took and its speed: so a log without its bar shows it
    /// too.
    fn take_speed(&mut self, line: &[u8], notes: &mut Notes) -> Option<()> {
        let (seconds, speed) = self.plain.speed.as_ref()?;
        let seconds = seconds.behind(line).and_then(leading_f64)?;
        let speed = speed.behind(line).and_then(leading_f64)?;
        let total = self.total.filter(|total| *total > self.done)?;
        // The speed is rounded to a thousandth.
        let is_all =
            (seconds * speed - total as f64).abs() <= (seconds * 0.0006).max(0.5).min(total as f64 * 0.01);
        is_all.then(|| {
            self.done = total;
            self.note(notes);
        })
    }

    fn values(&self, line: &[u8], notes: &mut Notes) -> bool {
        let known = notes.metrics.len();
        for (name, also, text) in self.plain.metrics {
            if let Some(value) = value_on(text, also, line, &notes.places).and_then(leading_f64) {
                notes.metric(*name, value);
            }
        }
        notes.metrics.len() > known
    }
}

/// Returns what follows a text on the line, where it holds another one too.
fn value_on<'a>(text: &Sought, also: &Sought, line: &'a [u8], places: &Places) -> Option<&'a [u8]> {
    // What the search for the needles has not seen need not be searched for.
    if text.is_lacking(places) || also.is_lacking(places) {
        return None;
    }
    if also.holds_needle() {
        also.on_among(line, places)?;
        return text.behind_among(line, places);
    }
    let behind = text.behind_among(line, places)?;
    also.on_among(line, places).map(|_| behind)
}

impl Format for PlainReader {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let counts = self.count(line, notes).is_some();
        let says = |text: &Sought, notes: &Notes| text.on_among(line, &notes.places).is_some();
        let says_all = |texts: &&[Sought]| texts.iter().all(|text| says(text, notes));
        notes.finished = self.recognised && self.plain.finished.iter().any(says_all);
        if notes.finished {
            self.take_speed(line, notes);
        }
        notes.summed = self.recognised && self.plain.summed.iter().any(|text| says(text, notes));
        let tells = self.recognised && self.values(line, notes);
        if counts {
            return LineMatch::Typical;
        }
        if tells || notes.finished || notes.summed {
            return LineMatch::Plausible;
        }
        let total = self.plain.totals.iter().find_map(|text| {
            let behind = text.behind_among(line, &notes.places)?;
            leading_grouped(behind).or_else(|| leading_u64(behind)).map(|(total, _)| total)
        });
        self.total = total.or(self.total);
        if total.is_some() { LineMatch::Plausible } else { LineMatch::Foreign }
    }

    fn read_bar(&mut self, bar: &Bar<'_>, line: &[u8], notes: &mut Notes) -> LineMatch {
        let (is_named, is_sure) = match self.plain.bar {
            WorkBar::None => (false, false),
            WorkBar::Nameless => {
                let is_same = self.total.is_none_or(|total| bar.total() == Some(total));
                (bar.name.is_empty() && is_same, false)
            }
            WorkBar::Named { begins, ends, is_sure } => {
                let name = bar.steady_name();
                (name.starts_with(begins.as_bytes()) && name.ends_with(ends.as_bytes()), is_sure)
            }
        };
        let Some(total) = bar.total().filter(|_| is_named && !is_preparation(bar)) else {
            return self.read(line, notes);
        };
        (self.done, self.total, self.is_rounded) = (bar.done(), Some(total), false);
        self.recognised |= is_sure;
        if !self.recognised {
            return LineMatch::Foreign;
        }
        self.note(notes);
        if is_sure { LineMatch::Typical } else { LineMatch::Plausible }
    }
}
