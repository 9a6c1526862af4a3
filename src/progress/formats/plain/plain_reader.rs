//! Reads logs of formats that are data. One search has seen the rarest text of each line.

use super::line_kinds::{How, Signature};
use super::plain_format::PlainFormat;
use super::sighting::{Seen, Sighting, Sightings};
use crate::model::logs::log_format::WorkBar;
use crate::progress::counts::bar::Bar;
use crate::progress::counts::preparation::is_preparation;
use crate::progress::counts::trainer_bar::TrainerBar;
use crate::progress::format::{Format, LineMatch, Notes};
use crate::progress::text::find::Sought;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::number::{leading_f64, leading_grouped, leading_scaled, leading_u64};

/// What is found at the start of the line, or of its words: a value on the line is no reason to read no count there.
fn at_start<'a, T>(line: &'a [u8], find: impl Fn(&'a [u8]) -> Option<T>) -> Option<T> {
    find(line).or_else(|| find(behind_prefix(line)?))
}

/// Reads one log of such a program.
#[derive(Debug)]
pub struct PlainReader {
    sightings: Sightings,
    work: Work,
}

/// What is known of the work.
#[derive(Debug)]
struct Work {
    format: &'static PlainFormat,
    done: u64,
    total: Option<u64>,
    successes: u64,
    recognised: bool,
    /// A line counted last, and no bar.
    is_of_line: bool,
    /// Was rounded, so that it may be a little less than its total.
    is_rounded: bool,
    trainer: TrainerBar,
    /// A line ended the work; values of the program's own behind it are those of more work.
    has_ended: bool,
}

impl PlainReader {
    /// A reader at the start of a log.
    pub fn new(format: &'static PlainFormat) -> Self {
        let work = Work {
            format,
            done: 0,
            total: None,
            successes: 0,
            recognised: format.is_declared,
            is_of_line: false,
            is_rounded: false,
            trainer: TrainerBar::default(),
            has_ended: false,
        };
        Self { sightings: Sightings::default(), work }
    }
}

impl Work {
    /// Counts, and returns how such a line looks.
    fn count(&mut self, seen: &Sighting, line: &[u8], notes: &mut Notes) -> Option<LineMatch> {
        let format = self.format;
        let Some(Seen { position, behind }) = seen.count else { return self.recognise(seen, notes) };
        let count = &format.counts[position];
        let behind = line[behind..].trim_ascii_start();
        match &count.how {
            How::Number(None) => self.take_number(behind)?,
            How::Number(Some(then)) => self.take_number(then.behind(behind)?.trim_ascii_start())?,
            How::Leading => {
                let number_at =
                    |start| leading_u64(start).filter(|(_, rest)| format.texts.begins(&count.texts, rest));
                self.done = at_start(line, number_at)?.0;
            }
            How::Each(success) => {
                at_start(line, |start| format.texts.begins(&count.texts, start).then_some(()))?;
                self.done += 1;
                if let Some((_, least)) = success {
                    let value = leading_f64(&line[seen.success?..])?;
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

    fn recognise(&mut self, seen: &Sighting, notes: &mut Notes) -> Option<LineMatch> {
        let has_counted = self.done > 0;
        let mut signatures = seen.signatures.iter().map(|position| &self.format.signatures[*position]);
        let Signature { begins_item, .. } = signatures.find(|known| has_counted || !known.behind_bar)?;
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
        notes.is_open = is_full && (self.format.needs_finish || self.is_rounded);
        if self.format.counts_successes && self.done > 0 {
            notes.metric("episodes", self.done as f64);
            notes.metric("successes", self.successes as f64);
            notes.metric("success_rate", self.successes as f64 / self.done as f64);
        }
    }

    /// Takes a line with the total.
    fn announce(&mut self, seen: &Sighting, line: &[u8], notes: &mut Notes) -> Option<()> {
        // `5.0e5` is more than 5.
        let ends = |behind: &[u8]| !matches!(behind, [b'.' | b'e' | b'E', next, ..] if next.is_ascii_digit());
        let number = |text: &[u8]| {
            let text = text.trim_ascii_start();
            let (number, behind) = leading_grouped(text).or_else(|| leading_u64(text))?;
            ends(behind).then_some(number)
        };
        let (total, begins_run) = seen.totals.iter().find_map(|seen| {
            let of = &self.format.totals[seen.position];
            let total = number(&line[seen.behind..])?;
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
    fn end(&mut self, seen: &Sighting, line: &[u8], notes: &mut Notes) {
        let Some(end) = seen.end.map(|position| &self.format.finished[position]) else { return };
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

    fn values(&self, seen: &Sighting, line: &[u8], notes: &mut Notes) -> bool {
        let known = notes.metrics.len();
        for Seen { position, behind } in &seen.metrics {
            if let Some(value) = leading_f64(&line[*behind..]) {
                let metric = &self.format.metrics[*position];
                notes.metric(metric.name, value * metric.scale);
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
        if let Some(name) = self.format.bar_speed
            && let Some(rate) = bar.tail.rate()
        {
            notes.metric(name, rate);
        }
        Some(if of.signature { LineMatch::Typical } else { LineMatch::Plausible })
    }

    fn read(&mut self, seen: &Sighting, line: &[u8], notes: &mut Notes) -> LineMatch {
        let counts = self.count(seen, line, notes);
        let has_values = if self.recognised {
            self.end(seen, line, notes);
            self.values(seen, line, notes)
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
        self.announce(seen, line, notes).map_or(LineMatch::Foreign, |()| LineMatch::Plausible)
    }
}

impl Format for PlainReader {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let seen = self.sightings.on(line, &notes.places, self.work.format);
        self.work.read(seen, line, notes)
    }

    fn read_bar(&mut self, bar: &Bar<'_>, line: &[u8], notes: &mut Notes) -> LineMatch {
        let bars = self.work.format.bar.as_ref();
        let taken = bars.and_then(|of| self.work.take_bar(of, bar, notes));
        taken.unwrap_or_else(|| self.read(line, notes))
    }
}
