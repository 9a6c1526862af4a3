//! What `scan` prints for people: the verdict and its proof, how far the log is, where it ends, and what would help.

use super::reading::{Scan, ScanVerdict};
use crate::model::outcome::{Failure, FailureReason, Metrics, Proof};
use crate::model::sweep::presets::BARS;
use crate::model::units::UNKNOWN;
use crate::progress::counts::bar::Bar;
use crate::progress::files::reading::FileFault;
use crate::progress::reading::LogSummary;
use crate::progress::text::figure::figure;

/// How it is printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// So many columns; longer lines are cut, and a line below says how to see them.
    pub width: Option<usize>,
    /// How long ago something was written to the log.
    pub age: Option<String>,
    /// Description of a log of no known format.
    pub looks_like: Option<String>,
}

/// Width of the column in which names are printed.
const NAMES: usize = 10;

/// Fewest characters of a line that are shown, however narrow the terminal: less is of no use.
const LEAST: usize = 20;

impl Scan {
    /// Returns the text that `scan` prints for people.
    pub fn text(&self, frame: &Frame) -> String {
        let verdict = ScanVerdict::with_files(&self.reading, &self.evidence);
        let mut page = ScanPage::new(frame);
        page.log(&self.reading, &verdict, &self.evidence.amend(&self.reading.metrics));
        let told = |(value, log): (&String, &crate::model::logs::value_log::ValueLog)| {
            format!("{value}: {}", log.to_text())
        };
        page.rows("values", self.reading.values.iter().map(told));
        page.rows("results", self.told_of_results().into_iter());
        page.end()
    }

    fn told_of_results(&self) -> Vec<String> {
        let Some(results) = &self.results else { return Vec::new() };
        let known = results.recognised.iter().map(|known| format!("{}: {}", known.file, known.format));
        let told = self.evidence.disagreements.iter().map(|differing| differing.told());
        let mut rows: Vec<String> = known.chain(told).collect();
        let agree: Vec<_> = results.metrics.keys().filter(|name| self.is_in_log(name)).cloned().collect();
        if self.evidence.disagreements.is_empty() && !agree.is_empty() {
            rows.push(format!("agrees with the log: {}", agree.join(", ")));
        }
        rows.extend(results.faults.iter().map(|fault| FileFault::told(fault).to_owned()));
        rows
    }

    /// The log says this too.
    fn is_in_log(&self, name: &str) -> bool {
        self.reading.metrics.contains_key(name) || (name == "episodes" && self.reading.counts_episodes())
    }

    /// State, progress, rate and cause, for a table of several logs.
    pub fn cells(&self) -> [String; 4] {
        let verdict = ScanVerdict::with_files(&self.reading, &self.evidence);
        let rate = self.evidence.amend(&self.reading.metrics).get("success_rate").copied();
        let cause = match verdict.reason() {
            Some(FailureReason::Incomplete) | None => String::new(),
            Some(reason) => {
                let message = verdict.message.clone().unwrap_or_default();
                Failure { reason, message }.to_sentence()
            }
        };
        [
            verdict.as_str().to_owned(),
            self.reading.progress_text().unwrap_or_default(),
            rate.map(|rate| format!("{:.1} %", 100.0 * rate)).unwrap_or_default(),
            cause,
        ]
    }
}

/// Returns the text that `scan` prints for people of a log alone.
pub fn scan_text(reading: &LogSummary) -> String {
    let frame = Frame::default();
    let mut page = ScanPage::new(&frame);
    page.log(reading, &ScanVerdict::of(reading), &reading.metrics);
    page.end()
}

/// A page in the making.
struct ScanPage<'a> {
    text: String,
    frame: &'a Frame,
    is_cut: bool,
}

impl<'a> ScanPage<'a> {
    fn new(frame: &'a Frame) -> Self {
        Self { text: String::new(), frame, is_cut: false }
    }

    fn log(&mut self, reading: &LogSummary, verdict: &ScanVerdict, metrics: &Metrics) {
        let reason = verdict.reason().map_or("", FailureReason::as_str);
        let word = verdict.as_str();
        let is_plain = reason.is_empty() || reason == word;
        self.row("verdict", &if is_plain { word.to_owned() } else { format!("{word} ({reason})") });
        if let Some(message) = verdict.message.as_ref().filter(|message| !verdict.is_proved_by(message)) {
            self.row("", message);
        }
        if let Some(proof) = &verdict.proof {
            self.row("", &line_of(proof, reading));
        }
        self.rows("warnings", verdict.warnings(reading).into_iter());
        self.row("preset", reading.preset.unwrap_or("none recognised"));
        self.row("progress", reading.progress_text().as_deref().unwrap_or(UNKNOWN));
        reading.part_text().iter().for_each(|part| self.row("", part));
        self.ends(reading, verdict);
        self.rows("advice", advice(reading, verdict, self.frame).into_iter());
        let metrics = metrics.iter().map(|(name, value)| format!("{name} = {}", figure(*value)));
        self.rows("metrics", metrics);
        for (position, alert) in reading.alerts.iter().enumerate() {
            self.row(if position == 0 { "alerts" } else { "" }, &alert.to_text());
            let newest = reading.newest_texts.get(&alert.kind).filter(|newest| **newest != alert.text);
            newest.iter().for_each(|newest| self.row("", &format!("  the last one: {newest}")));
        }
    }

    /// Adds where the log ends; the line already shown as proof is not repeated.
    fn ends(&mut self, reading: &LogSummary, verdict: &ScanVerdict) {
        if reading.lines == 0 {
            return self.row("log", "is empty");
        }
        let age = self.frame.age.as_ref().map(|age| format!(", written {age} ago")).unwrap_or_default();
        let lines = if reading.lines == 1 { "line" } else { "lines" };
        self.row("log", &format!("{} {lines}{age}", reading.lines));
        let is_told = verdict.proof.as_ref().is_some_and(|proof| proof.line == reading.last_line_number);
        if !is_told && !reading.last_line.is_empty() {
            self.row("", &format!("ends on line {}: {}", reading.last_line_number, reading.last_line));
        }
    }

    fn rows(&mut self, name: &str, rows: impl Iterator<Item = String>) {
        for (position, text) in rows.enumerate() {
            self.row(if position == 0 { name } else { "" }, &text);
        }
    }

    fn row(&mut self, name: &str, value: &str) {
        let room = self.frame.width.map_or(usize::MAX, |width| width.saturating_sub(NAMES).max(LEAST));
        let cut: String = value.chars().take(room).collect();
        let cut = if cut.len() < value.len() {
            self.is_cut = true;
            let kept: String = value.chars().take(room - 1).collect();
            kept + "…"
        } else {
            cut
        };
        self.text.push_str(&format!("{name:<NAMES$}{cut}\n"));
    }

    fn end(mut self) -> String {
        if self.is_cut {
            self.text.push_str("\nLines that end in … are longer: --full shows them.\n");
        }
        self.text
    }
}

/// `line 680 of 2689: Evaluation complete!`
fn line_of(proof: &Proof, reading: &LogSummary) -> String {
    if proof.line < reading.lines {
        format!("line {} of {}: {}", proof.line, reading.lines, proof.text)
    } else {
        format!("line {}, the last: {}", proof.line, proof.text)
    }
}

/// Suggests what to do where nothing counts the work, or where what counts it proves nothing. A log that is judged
/// needs none.
fn advice(reading: &LogSummary, verdict: &ScanVerdict, frame: &Frame) -> Option<String> {
    let is_judged = verdict.reason().is_some_and(|reason| reason != FailureReason::Incomplete);
    match (reading.preset, reading.progress) {
        _ if is_judged || reading.complete() => None,
        (None, None) => Some(match &frame.looks_like {
            Some(shape) => format!("format not known: {shape}; --suggest prints a pattern for it"),
            None => "no line counts the work in a way that is known; say what does: [progress] done = \
                     'Episode (?<done>\\d+)/(?<total>\\d+)' in the sweep, or name a preset (--preset)"
                .to_owned(),
        }),
        (Some(_), Some(_)) if reading.is_open => Some(
            "it proves neither an end nor a shortfall, because no line says that the last one is over; say which one does: \
             [progress] finished = '…' (--finished)"
                .to_owned(),
        ),
        (Some(BARS), Some(_)) if reading.guessed => Some(advice_on_bar(reading)),
        (Some(preset), Some(_)) if reading.guessed => Some(format!(
            "it proves neither an end nor a shortfall, because nobody declared it; [progress] preset = \
             \"{preset}\" (--preset {preset}) makes it count"
        )),
        (Some(_), Some(progress)) if progress.total.is_none() && verdict.reason().is_none() => {
            Some("no total: give [progress] total in the sweep, so that the end can be told".to_owned())
        }
        (Some(_) | None, Some(_)) | (Some(_), None) => None,
    }
}

/// Names the bar that was followed: whether it is that of the work, only people know.
fn advice_on_bar(reading: &LogSummary) -> String {
    let drawn = reading.progress_line.as_ref().and_then(|line| Bar::parse(line.text.as_bytes()));
    let name = drawn.map(|bar| String::from_utf8_lossy(bar.steady_name()).into_owned());
    let what = match name.filter(|name| !name.is_empty()) {
        Some(name) => format!(
            "if the bar `{name}` is the work, [progress] preset = \"{BARS}:{name}\" (--preset \"{BARS}:{name}\") makes it count"
        ),
        None => "its bar has no name: give it one (tqdm(…, desc=\"Evaluating\")), or say which line ends the work: \
                 [progress] finished = '…' (--finished)"
            .to_owned(),
    };
    format!("it proves neither an end nor a shortfall, because nobody said that it is the work; {what}")
}
