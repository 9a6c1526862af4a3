//! Evaluations on CALVIN: chains of five instructions, and how many of them were followed in a row.

use std::time::Duration;

use crate::progress::counts::bar::Bar;
use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_f64;
use crate::progress::text::number::leading_u64;

/// The bar's name gives the shares, `1/5 : 90.1% | 2/5 : 80.4% | …`, and the end
/// `Average successful sequence length: 3.2`; trainings print `1 / 5 subtasks: 80 / 100 sequences, SR: 80.0%`.
pub const PRESET: Preset = Preset {
    name: "calvin",
    unit: "sequences",
    rank: PresetRank::Program,
    needles: &["1/5 : ", AVERAGE, SUBTASKS],
    begin: &|| Box::new(Calvin::default()),
};

const AVERAGE: &str = "Average successful sequence length: ";
const SUBTASKS: &str = " / 5 subtasks: ";

/// The share of sequences in which so many instructions were followed in a row.
const RATES: [&str; 5] =
    ["success_rate_1", "success_rate_2", "success_rate_3", "success_rate_4", "success_rate_5"];

#[derive(Debug, Default)]
struct Calvin {
    newest: Option<Drawing>,
    /// Processes share the sequences and draw a bar each: none of them shows how far all are.
    side_by_side: bool,
}

/// A single drawing of the bar.
#[derive(Debug, Clone, Copy)]
struct Drawing {
    done: u64,
    total: Option<u64>,
    elapsed: Option<Duration>,
}

impl Format for Calvin {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let look = match find(line, AVERAGE.as_bytes()) {
            Some(at) => average(&line[at + AVERAGE.len()..], notes),
            None => subtasks(line, notes),
        };
        look.unwrap_or(LineMatch::Foreign)
    }

    fn read_bar(&mut self, bar: &Bar<'_>, line: &[u8], notes: &mut Notes) -> LineMatch {
        if find(bar.name, b"1/5 : ").is_none() {
            return self.read(line, notes);
        }
        for (label, rate) in bar.name.split(|byte| *byte == b'|').zip(RATES) {
            let value = find(label, b"/5 : ").and_then(|at| leading_f64(&label[at + b"/5 : ".len()..]));
            value.into_iter().for_each(|percent| notes.metric(rate, percent / 100.0));
        }
        let drawing = Drawing { done: bar.done(), total: bar.total(), elapsed: bar.tail.elapsed() };
        self.side_by_side |= self.newest.is_some_and(|newest| drawing.is_of_another(newest));
        self.newest = Some(drawing);
        notes.progress(drawing.done, drawing.total.filter(|_| !self.side_by_side));
        LineMatch::Typical
    }
}

impl Drawing {
    /// A bar never goes back while its time goes on.
    fn is_of_another(self, before: Self) -> bool {
        let is_later = self.elapsed.zip(before.elapsed).is_some_and(|(now, before)| now >= before);
        self.done < before.done && self.total == before.total && is_later && before.total != Some(before.done)
    }
}

fn average(value: &[u8], notes: &mut Notes) -> Option<LineMatch> {
    notes.metric("mean_sequence_length", leading_f64(value)?);
    notes.finished = true;
    Some(LineMatch::Typical)
}

/// `1 / 5 subtasks: 80 / 100 sequences, SR: 80.0%`.
fn subtasks(line: &[u8], notes: &mut Notes) -> Option<LineMatch> {
    let at = find(line, SUBTASKS.as_bytes())?;
    let digit = *line[..at].last()?;
    let rate = RATES.get(usize::from(digit.checked_sub(b'1')?))?;
    let (successes, rest) = leading_u64(&line[at + SUBTASKS.len()..])?;
    let (sequences, _) = leading_u64(rest.strip_prefix(b" / ")?)?;
    if sequences > 0 {
        notes.metric(*rate, successes as f64 / sequences as f64);
    }
    // A training prints them after each of its evaluations.
    notes.progress(sequences, None);
    Some(LineMatch::Typical)
}
