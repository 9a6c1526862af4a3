//! Formats that are data: which text comes before what number. One search has seen the rarest text of each line.

use std::sync::{Mutex, PoisonError};

use crate::model::logs::log_format::{LogFormat, MetricLine, Texts, WorkBar};
use crate::progress::counts::bar::Bar;
use crate::progress::counts::preparation::is_preparation;
use crate::progress::counts::trainer_bar::TrainerBar;
use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::formats::format_needles::choose_needles;
use crate::progress::formats::line_kinds::{Count, End, How, Signature, Total};
use crate::progress::formats::line_texts::{LineTexts, TextTable, TextsOnLine, keep};
use crate::progress::text::find::Sought;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::number::{leading_f64, leading_grouped, leading_scaled, leading_u64};

/// The lines of one format, ready to be searched for.
#[derive(Debug)]
struct Plain {
    texts: TextTable,
    counts: Vec<Count>,
    signatures: Vec<Signature>,
    totals: Vec<Total>,
    finished: Vec<End>,
    /// Names, where their values are, and what these are multiplied by.
    metrics: Vec<(&'static str, LineTexts, f64)>,
    bar: Option<WorkBar>,
    /// Name of the metric that is the speed of the bar.
    bar_speed: Option<&'static str>,
    needs_finish: bool,
    counts_successes: bool,
    /// The log is known to be of the format before a line shows it.
    is_declared: bool,
}

/// Presets of the user's own, each made once.
static OWN: Mutex<Vec<(LogFormat, &'static [&'static Preset])>> = Mutex::new(Vec::new());

/// Returns the only preset of a sweep that names a format of the user's own.
pub fn own_preset(name: &str, format: &LogFormat) -> &'static [&'static Preset] {
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = own.iter().find(|(known, presets)| known == format && presets[0].name == name);
    if let Some((_, presets)) = known {
        return presets;
    }
    let presets: &'static [_] = vec![make_preset(name, format, true)].leak();
    own.push((format.clone(), presets));
    presets
}

/// Makes a preset of a format of the program, which lives as long as the process.
pub fn preset_of(name: &str, format: &LogFormat) -> &'static Preset {
    make_preset(name, format, false)
}

fn make_preset(name: &str, format: &LogFormat, is_declared: bool) -> &'static Preset {
    let needles: Vec<&'static str> = choose_needles(format).into_iter().map(keep).collect();
    let needles = needles.leak();
    let plain: &'static Plain = Box::leak(Box::new(Plain::new(format, needles, is_declared)));
    Box::leak(Box::new(Preset {
        name: keep(name),
        unit: keep(&format.unit),
        rank: PresetRank::Program,
        needles,
        begin: Box::leak(Box::new(move || Box::new(PlainReader::new(plain)) as Box<dyn Format>)),
    }))
}

impl Plain {
    fn new(format: &LogFormat, needles: &[&str], is_declared: bool) -> Self {
        let mut texts = TextTable::default();
        let mut of = |text: &str, with: &Texts| LineTexts::new(text, with, needles, &mut texts);
        let signatures =
            format.signature.iter().map(|line| Signature::new(line, of(&line.text, &line.with))).collect();
        let totals = format.total.iter().map(|line| Total::new(line, of(&line.before, &line.with))).collect();
        let scale = |line: &MetricLine| if line.percent { 0.01 } else { 1.0 };
        let metrics =
            format.metric.iter().map(|line| (keep(&line.name), of(&line.before, &line.with), scale(line)));
        let metrics = metrics.collect();
        let finished =
            format.finished.iter().map(|line| End::new(line, of(&line.text, &line.with))).collect();
        let counts: Vec<Count> =
            format.done.iter().map(|line| Count::new(line, needles, &mut texts)).collect();
        let counts_successes = counts.iter().any(|count| matches!(count.how, How::Each(Some(_))));
        Self {
            texts,
            counts,
            signatures,
            totals,
            finished,
            metrics,
            bar: format.bar.clone(),
            bar_speed: format.bar.as_ref().and_then(|bar| bar.speed.as_deref()).map(keep),
            needs_finish: format.needs_finish,
            counts_successes,
            is_declared,
        }
    }
}

/// What is found at the start of the line, or of its words: a value on the line is no reason to read no count there.
fn at_start<'a, T>(line: &'a [u8], find: impl Fn(&'a [u8]) -> Option<T>) -> Option<T> {
    find(line).or_else(|| find(behind_prefix(line)?))
}

/// Reads one log of such a program.
#[derive(Debug)]
struct PlainReader {
    plain: &'static Plain,
    done: u64,
    total: Option<u64>,
    successes: u64,
    recognised: bool,
    texts: TextsOnLine,
    /// A line counted last, and no bar.
    is_of_line: bool,
    /// Was rounded, so that it may be a little less than its total.
    is_rounded: bool,
    trainer: TrainerBar,
    /// A line ended the work; values of the program's own behind it are those of more work.
    has_ended: bool,
}

impl PlainReader {
    fn new(plain: &'static Plain) -> Self {
        Self {
            plain,
            done: 0,
            total: None,
            successes: 0,
            recognised: plain.is_declared,
            texts: TextsOnLine::default(),
            is_of_line: false,
            is_rounded: false,
            trainer: TrainerBar::default(),
            has_ended: false,
        }
    }

    /// Returns what follows the first text of such a line.
    #[inline]
    fn value_of<'a>(&mut self, texts: &LineTexts, line: &'a [u8], notes: &Notes) -> Option<&'a [u8]> {
        self.texts.value_of(texts, &self.plain.texts, line, &notes.places)
    }

    /// Counts, and returns how such a line looks.
    fn count(&mut self, line: &[u8], notes: &mut Notes) -> Option<LineMatch> {
        let plain = self.plain;
        let counted = plain.counts.iter().find_map(|count| {
            let behind = self.value_of(&count.texts, line, notes)?;
            Some((count, behind.trim_ascii_start()))
        });
        let Some((count, behind)) = counted else { return self.recognise(line, notes) };
        match &count.how {
            How::Number(None) => self.take_number(behind)?,
            How::Number(Some(then)) => self.take_number(then.behind(behind)?.trim_ascii_start())?,
            How::Leading => {
                let number_at =
                    |start| leading_u64(start).filter(|(_, rest)| plain.texts.begins(&count.texts, rest));
                self.done = at_start(line, number_at)?.0;
            }
            How::Each(success) => {
                at_start(line, |start| plain.texts.begins(&count.texts, start).then_some(()))?;
                self.done += 1;
                if let Some((text, least)) = success {
                    let value = self.texts.behind(*text, &plain.texts, line, &notes.places);
                    let value = value.and_then(leading_f64)?;
                    self.successes += u64::from(value >= *least);
                }
            }
        }
        (self.recognised, self.is_of_line) = (true, true);
        self.note(notes);
        Some(LineMatch::Typical)
    }

    /// Takes `12`, `1,200`, `12.6k/30.0k`, `12 / 30`, or `-/30000` where nothing is done yet.
    fn take_number(&mut self, behind: &[u8]) -> Option<()> {
        let none = || behind.strip_prefix(b"-").filter(|rest| rest.starts_with(b"/")).map(|rest| (0, rest));
        let (done, rest) = leading_grouped(behind).or_else(|| leading_scaled(behind)).or_else(none)?;
        self.done = done;
        self.is_rounded = behind[..behind.len() - rest.len()].ends_with(b"k");
        if let Some(slash) = memchr::memchr(b'/', rest).filter(|at| *at <= 4) {
            self.total =
                leading_scaled(rest[slash + 1..].trim_ascii_start()).map(|(total, _)| total).or(self.total);
        }
        Some(())
    }

    fn recognise(&mut self, line: &[u8], notes: &mut Notes) -> Option<LineMatch> {
        let plain = self.plain;
        let has_counted = self.done > 0;
        let mut signatures = plain.signatures.iter().filter(|known| has_counted || !known.behind_bar);
        let Signature { begins_item, .. } =
            signatures.find(|known| self.value_of(&known.texts, line, notes).is_some())?;
        if *begins_item && std::mem::replace(&mut self.has_ended, false) {
            notes.resumes = true;
        }
        // Bars, which are not buffered, come before the lines that say whose they are.
        if !std::mem::replace(&mut self.recognised, true) && self.total.is_some() && self.done > 0 {
            self.note(notes);
        }
        Some(LineMatch::Typical)
    }

    fn note(&self, notes: &mut Notes) {
        notes.progress(self.done, self.total);
        let is_full = self.total.is_some_and(|total| self.done >= total);
        notes.is_open = is_full && (self.plain.needs_finish || self.is_rounded);
        if self.plain.counts_successes && self.done > 0 {
            notes.metric("episodes", self.done as f64);
            notes.metric("successes", self.successes as f64);
            notes.metric("success_rate", self.successes as f64 / self.done as f64);
        }
    }

    /// Takes a line with the total.
    fn announce(&mut self, line: &[u8], notes: &mut Notes) -> Option<()> {
        // `5.0e5` is more than 5.
        let ends = |behind: &[u8]| !matches!(behind, [b'.' | b'e' | b'E', next, ..] if next.is_ascii_digit());
        let number = |text: &[u8]| {
            let text = text.trim_ascii_start();
            let (number, behind) = leading_grouped(text).or_else(|| leading_u64(text))?;
            ends(behind).then_some(number)
        };
        let (total, begins_run) = self.plain.totals.iter().find_map(|of| {
            let total = number(self.value_of(&of.texts, line, notes)?)?;
            let times = of.times.as_ref().map_or(Some(1), |times| times.behind(line).and_then(number))?;
            Some((total.checked_mul(times)?, of.begins_run))
        })?;
        let was_full = self.total.is_some_and(|total| self.done >= total);
        self.total = Some(total);
        if begins_run && was_full {
            (self.done, self.has_ended, notes.restarts) = (0, false, true);
            notes.progress(0, self.total);
        }
        Some(())
    }

    /// Takes a line that ends the work.
    fn end(&mut self, line: &[u8], notes: &mut Notes) {
        let mut ends = self.plain.finished.iter();
        let Some(end) = ends.find(|end| self.value_of(&end.texts, line, notes).is_some()) else { return };
        (notes.finished, notes.summed) = (!end.after_errors, end.after_errors);
        self.trainer.close();
        if let Some(speed) = &end.seconds_and_speed {
            self.take_speed(speed, line, notes);
        }
    }

    /// Takes that all was done, where the line gives the time it took and its speed: so a log without its bar shows it
    /// too.
    fn take_speed(
        &mut self,
        (seconds, speed): &(Sought, Sought),
        line: &[u8],
        notes: &mut Notes,
    ) -> Option<()> {
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

    fn values(&mut self, line: &[u8], notes: &mut Notes) -> bool {
        let known = notes.metrics.len();
        for (name, texts, scale) in &self.plain.metrics {
            if let Some(value) = self.value_of(texts, line, notes).and_then(leading_f64) {
                notes.metric(*name, value * scale);
            }
        }
        notes.metrics.len() > known
    }

    /// Takes a bar that counts the work; none where it counts something else.
    fn take_bar(&mut self, of: &WorkBar, bar: &Bar<'_>, notes: &mut Notes) -> Option<LineMatch> {
        let total = if of.any_total {
            let (done, total) = self.trainer.take(bar)?;
            self.done = done;
            total
        } else {
            let is_named = if of.name.is_empty() {
                bar.name.is_empty() && self.total.is_none_or(|total| bar.total() == Some(total))
            } else {
                let name = bar.steady_name();
                name.starts_with(of.name.as_bytes()) && name.ends_with(of.name_ends.as_bytes())
            };
            let total = bar.total().filter(|_| is_named && !is_preparation(bar))?;
            // The line of a step comes before its drawing, and behind the last one may come none.
            let lags =
                self.is_of_line && self.total == Some(total) && self.done.checked_sub(1) == Some(bar.done());
            if !lags || bar.done() == 0 {
                (self.done, self.is_of_line) = (bar.done(), false);
            }
            total
        };
        (self.total, self.is_rounded) = (Some(total), false);
        self.recognised |= of.signature || of.any_total;
        if !self.recognised {
            return Some(LineMatch::Foreign);
        }
        self.note(notes);
        if let Some(name) = self.plain.bar_speed
            && let Some(rate) = bar.tail.rate()
        {
            notes.metric(name, rate);
        }
        Some(if of.signature { LineMatch::Typical } else { LineMatch::Plausible })
    }
}

impl Format for PlainReader {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        self.texts.begin(&self.plain.texts, &notes.places);
        let counts = self.count(line, notes);
        let has_values = if self.recognised {
            self.end(line, notes);
            self.values(line, notes)
        } else {
            false
        };
        let ends = notes.finished || notes.summed;
        if self.has_ended && counts.is_some() && has_values && !ends && notes.progress.is_none() {
            (self.has_ended, notes.restarts) = (false, true);
            // Its bar or count may come later, where there was one: until then nothing of this work is done.
            if self.done > 0 || self.total.is_some() {
                self.done = 0;
                notes.progress(0, self.total);
            }
        }
        self.has_ended |= ends;
        if let Some(look) = counts {
            return look;
        }
        if has_values || notes.finished || notes.summed {
            return LineMatch::Plausible;
        }
        self.announce(line, notes).map_or(LineMatch::Foreign, |()| LineMatch::Plausible)
    }

    fn read_bar(&mut self, bar: &Bar<'_>, line: &[u8], notes: &mut Notes) -> LineMatch {
        let taken = self.plain.bar.as_ref().and_then(|of| self.take_bar(of, bar, notes));
        taken.unwrap_or_else(|| self.read(line, notes))
    }
}
