//! The reading of a log that was not launched here: without an exit code only the log can say how it went.

use serde_json::{Map, Value, json};

use crate::model::logs::mark::Alert;
use crate::model::outcome::{FailureReason, Proof};
use crate::progress::counts::count_units::EPOCHS;
use crate::progress::counts::open_bar::ends_within_bar;
use crate::progress::files::evidence::{Coverage, FileEvidence};
use crate::progress::files::reading::{FileFault, ResultReading};
use crate::progress::format::PresetRank;
use crate::progress::formats::presets::table;
use crate::progress::reading::LogSummary;
use crate::progress::remarks::RemarkSeverity;
use crate::progress::trouble::built_in::BuiltInRules;
use crate::progress::trouble::uncaught::is_of_user;

/// How a log went, as far as it says, with the line that proves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanVerdict {
    pub(in crate::progress) kind: ScanKind,
    pub(in crate::progress) message: Option<String>,
    pub(in crate::progress) proof: Option<Proof>,
}

/// How a log went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::progress) enum ScanKind {
    /// All of the work is done.
    Succeeded,
    /// The program ended before, for this reason.
    Failed(FailureReason),
    /// The log stops before all is done, without saying why.
    Incomplete,
    /// The program ended, but its results are wrong.
    Invalid,
    /// The log shows neither an end nor a failure.
    Unknown,
}

/// A program that prints more than it does while it starts has begun its work, and may count in a way that is not known.
const LONGEST_START: u64 = 100;

impl ScanVerdict {
    /// Judges a log by its reading alone.
    pub fn of(reading: &LogSummary) -> Self {
        Self::with_files(reading, &FileEvidence::default())
    }

    /// Judges a log by its reading and by the files that were written next to it.
    pub fn with_files(reading: &LogSummary, files: &FileEvidence) -> Self {
        let complete = match files.coverage {
            Coverage::Complete => true,
            Coverage::Short { .. } => false,
            Coverage::Unknown => {
                reading.complete() && !reading.falls_short() && reading.failure_behind_the_work().is_none()
            }
        };
        if let Some(cause) =
            reading.ending_cause().filter(|cause| !complete && !reading.outlives_import(cause))
        {
            let thrown = reading
                .ending_exception()
                .or_else(|| reading.failure_behind_the_work().filter(|_| reading.complete()));
            let otherwise = match cause.kind {
                "cancelled" => FailureReason::Cancelled,
                _ if thrown.is_some() => FailureReason::Exception,
                _ => FailureReason::ExitCode,
            };
            let kind = ScanKind::Failed(cause.reason.unwrap_or(otherwise));
            return Self::proved(kind, cause.message(), Some(&cause.proof));
        }
        if let Some(exception) = reading.ending_exception().filter(|_| !complete) {
            let kind = ScanKind::Failed(reason_of_exception(&exception.text));
            return Self::proved(kind, exception.text.clone(), Some(exception));
        }
        // What was thrown behind the work kept the program from what it was about to do.
        let counts =
            |reason| !complete || files.coverage == Coverage::Unknown && reason != FailureReason::ExitCode;
        if let Some((reason, proof)) = reading.stated_error().filter(|(reason, _)| counts(*reason)) {
            return Self::proved(ScanKind::Failed(reason), proof.text.clone(), Some(&proof));
        }
        if let Some(verdict) = Self::by_remarks(reading, files) {
            return verdict;
        }
        if complete {
            let proof = reading.proof_of_completeness().cloned();
            return Self { kind: ScanKind::Succeeded, message: None, proof };
        }
        if let Some(shortfall) = files.shortfall() {
            return Self::proved(ScanKind::Incomplete, shortfall, None);
        }
        if let Some(progress) = reading.progress_text().filter(|_| reading.falls_short()) {
            return Self::proved(ScanKind::Incomplete, progress, reading.progress_line.as_ref());
        }
        if let Some(restarted) = &reading.restarted {
            if reading.lines > restarted.line + LONGEST_START {
                return Self { kind: ScanKind::Unknown, message: None, proof: None };
            }
            let message = "another run began and counted nothing".to_owned();
            return Self::proved(ScanKind::Incomplete, message, Some(restarted));
        }
        if reading.expects_finish {
            let message = "the line that says it is complete never came".to_owned();
            return Self::proved(ScanKind::Incomplete, message, None);
        }
        if let Some(proof) = reading.last_error() {
            let kind = ScanKind::Failed(FailureReason::ExitCode);
            return Self::proved(kind, proof.text.clone(), Some(&proof));
        }
        if let Some(alert) = reading.missing_command() {
            return Self::proved(ScanKind::Failed(FailureReason::ExitCode), alert.text.clone(), None);
        }
        if let Some((reason, word, proof)) = reading.termination() {
            let message = format!("the shell says: {word}");
            return Self::proved(ScanKind::Failed(reason), message, Some(&proof));
        }
        if let Some(progress) = reading.progress_text().filter(|_| ends_within_bar(reading)) {
            let message = format!("{progress}: the log ends within its bar");
            return Self::proved(ScanKind::Incomplete, message, reading.progress_line.as_ref());
        }
        Self::by_soft_signs(reading)
    }

    /// Judges by what rules say of the lines and of the files.
    fn by_remarks(reading: &LogSummary, files: &FileEvidence) -> Option<Self> {
        for (severity, kind) in [
            (RemarkSeverity::Invalid, ScanKind::Invalid),
            (RemarkSeverity::Failed, ScanKind::Failed(FailureReason::Exception)),
        ] {
            if let Some((remark, said)) = reading.remark(severity) {
                return Some(Self::proved(kind, remark.counted(said), said.proof.as_ref()));
            }
            if let Some(remark) = files.remark(severity) {
                return Some(Self::proved(kind, remark.message.clone(), None));
            }
        }
        None
    }

    /// Judges by what is no proof next to an exit code, or while a program runs: words at the end, and a total that was
    /// announced before the work.
    fn by_soft_signs(reading: &LogSummary) -> Self {
        // Behind the first part alone, words may be those of a program that runs no other one.
        let is_silent = reading.all_done() && reading.closing.is_none() && reading.finished.is_none();
        if let Some(part) = reading.open_part.as_ref().filter(|part| part.has_moved || is_silent) {
            let message = "the log ends before the other parts of the work".to_owned();
            return Self::proved(ScanKind::Incomplete, message, Some(&part.heading));
        }
        if let Some(closing) =
            reading.closing.as_ref().filter(|_| reading.open_part.is_none() && may_close_in_words(reading))
        {
            return Self { kind: ScanKind::Succeeded, message: None, proof: Some(closing.clone()) };
        }
        // Where only every tenth is printed, the last ones may be done.
        let may_be_over = (reading.ends_loop || reading.hints_at_stop) && !reading.all_done();
        if let Some(progress) = reading.progress_text().filter(|_| reading.is_announced && !may_be_over) {
            let line = reading.progress_line.as_ref();
            return match reading.all_done() {
                true => Self { kind: ScanKind::Succeeded, message: None, proof: line.cloned() },
                false => Self::proved(ScanKind::Incomplete, progress, line),
            };
        }
        let part = reading.part_text().filter(|_| reading.ends_within_part());
        let stops_short = part.is_some() || reading.ends_within_counts();
        if let Some(progress) = reading.progress_text().filter(|_| stops_short && !may_be_over) {
            let message = match part {
                Some(part) => format!("{progress}, {part}: the log ends within it"),
                None => format!("{progress}: the log ends before the next one"),
            };
            return Self::proved(ScanKind::Incomplete, message, reading.progress_line.as_ref());
        }
        if let Some(begun) = reading.begun_at_the_end() {
            let message = "the log ends where work begins".to_owned();
            return Self::proved(ScanKind::Incomplete, message, Some(&begun));
        }
        Self { kind: ScanKind::Unknown, message: None, proof: None }
    }

    fn proved(kind: ScanKind, message: String, proof: Option<&Proof>) -> Self {
        Self { kind, message: Some(message), proof: proof.cloned() }
    }

    /// The word of the contract.
    pub fn as_str(&self) -> &'static str {
        match self.kind {
            ScanKind::Succeeded => "succeeded",
            ScanKind::Failed(_) => "failed",
            ScanKind::Incomplete => "incomplete",
            ScanKind::Invalid => "invalid",
            ScanKind::Unknown => "unknown",
        }
    }

    fn write_to(&self, document: &mut Value) {
        document["verdict"] = json!(self.as_str());
        document["reason"] = json!(self.reason());
        document["message"] = json!(self.message);
        document["proof"] =
            json!(self.proof.as_ref().map(|proof| json!({"line": proof.line, "text": proof.text})));
    }

    /// Lists the remarks that accompany the verdict.
    pub(in crate::progress) fn warnings(&self, reading: &LogSummary) -> Vec<String> {
        let soft = reading.remarks.iter().filter(|(remark, _)| remark.severity == RemarkSeverity::Warning);
        let soft = soft.map(|(remark, said)| remark.counted(said));
        let done = match self.kind {
            ScanKind::Succeeded => self.proof.as_ref().map(|proof| proof.line),
            ScanKind::Failed(_) | ScanKind::Incomplete | ScanKind::Invalid | ScanKind::Unknown => None,
        };
        let at_close = reading.alerts.iter().filter(|alert| done.is_some_and(|done| alert.last_line > done));
        let newest = |alert: &Alert| reading.newest_texts.get(&alert.kind).unwrap_or(&alert.text).clone();
        let at_close = at_close.map(|alert| format!("after the work was complete: {}", newest(alert)));
        soft.chain(at_close).chain(self.beside_it(reading)).chain(reading.restart_text()).collect()
    }

    /// Lists what else is wrong with a log that did not go well: its results, or that it ends too soon.
    fn beside_it(&self, reading: &LogSummary) -> Vec<String> {
        match self.kind {
            ScanKind::Succeeded => Vec::new(),
            ScanKind::Unknown => reading.told_text().into_iter().collect(),
            ScanKind::Failed(_) | ScanKind::Incomplete => {
                reading.doubts().filter(|doubt| self.message.as_ref() != Some(doubt)).collect()
            }
            ScanKind::Invalid => {
                let short = reading.progress_text().filter(|_| reading.falls_short());
                short.map(|progress| format!("the log ends at {progress}")).into_iter().collect()
            }
        }
    }

    /// The message is the line that proves it.
    pub(in crate::progress) fn is_proved_by(&self, message: &str) -> bool {
        self.proof.as_ref().is_some_and(|proof| proof.text == message)
    }

    pub(in crate::progress) fn reason(&self) -> Option<FailureReason> {
        match self.kind {
            ScanKind::Failed(reason) => Some(reason),
            ScanKind::Incomplete => Some(FailureReason::Incomplete),
            ScanKind::Invalid => Some(FailureReason::Invalid),
            ScanKind::Succeeded | ScanKind::Unknown => None,
        }
    }
}

/// What counts trials of a search for parameters is no evaluation: no format knows when these are over.
const SEARCHES: [&str; 1] = ["optuna"];

/// Free words at the end are believed where no format reads the log that knows how its evaluations end, and no count in
/// words falls short; a bar of anything but epochs may end early.
fn may_close_in_words(reading: &LogSummary) -> bool {
    const EVALUATED: [&str; 5] = ["episodes", "trials", "sequences", "batches", "requests"];
    let counted_on =
        |closing: &Proof| reading.progress_line.as_ref().is_some_and(|line| line.line > closing.line);
    if reading.closing.as_ref().is_some_and(counted_on) {
        return false;
    }
    let may_end = reading.ends_loop || reading.stops_early || reading.hints_at_stop;
    let is_short = || reading.total().is_some() && !reading.is_announced && !reading.all_done() && !may_end;
    match reading.preset.and_then(table::find).map(|preset| preset.rank) {
        None | Some(PresetRank::Open) => true,
        Some(PresetRank::Bar) => reading.unit != EPOCHS || !is_short(),
        Some(PresetRank::Count) => !is_short(),
        Some(PresetRank::Manner | PresetRank::Program) => {
            // What was announced and is said to be over was counted by no format.
            let is_foreign = reading.guessed && reading.all_done();
            let sums_up = |closing: &Proof| ["rials", "tudy"].iter().any(|word| closing.text.contains(word));
            let is_search = reading.preset.is_some_and(|preset| SEARCHES.contains(&preset))
                && reading.closing.as_ref().is_some_and(sums_up);
            is_search || (is_foreign || !EVALUATED.contains(&reading.unit)) && !is_short()
        }
    }
}

/// Reads why a program ended from the exception that ended it.
fn reason_of_exception(text: &str) -> FailureReason {
    match is_of_user(text) {
        true => FailureReason::Cancelled,
        false => FailureReason::Exception,
    }
}

/// A log that was read, and the files that were written next to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    /// Everything that the log says.
    pub reading: LogSummary,
    /// Contents of the result files, where any were named.
    pub results: Option<ResultReading>,
    /// Meaning of the files for the verdict.
    pub evidence: FileEvidence,
}

impl Scan {
    /// Returns the scan of a log without result files.
    pub fn of_log(reading: LogSummary) -> Self {
        Self { reading, results: None, evidence: FileEvidence::default() }
    }

    /// A log and its files, held against one another.
    pub fn with_results(reading: LogSummary, results: ResultReading, rules: &BuiltInRules) -> Self {
        let evidence = FileEvidence::weigh(&results, &reading, None, rules);
        Self { reading, results: Some(results), evidence }
    }

    /// Returns the document that `scan --json` prints.
    pub fn json(&self) -> Value {
        let mut document = scan_json(&self.reading);
        let verdict = ScanVerdict::with_files(&self.reading, &self.evidence);
        verdict.write_to(&mut document);
        document["metrics"] = json!(self.evidence.amend(&self.reading.metrics));
        let faults = self.reading.pattern_faults.iter();
        document["unmatched"] =
            faults.map(|fault| json!({"pattern": fault.place, "message": fault.message})).collect();
        document["results"] = json!(self.results.as_ref().map(|results| json!({
            "files": results.recognised.iter().map(|known| json!({"file": known.file, "format": known.format}))
                .collect::<Vec<_>>(),
            "metrics": results.metrics.iter().map(|(name, figure)| (name.clone(), json!(figure.value)))
                .collect::<Map<_, _>>(),
            "disagreements": self.evidence.disagreements.iter().map(|differing| json!({
                "metric": differing.name,
                "log": differing.log,
                "file": differing.file,
                "source": differing.file_name,
                "message": differing.told(),
            })).collect::<Vec<_>>(),
            "remarks": self.evidence.remarks.iter().map(|remark| &remark.message).collect::<Vec<_>>(),
            "faults": results.faults.iter().map(FileFault::told).collect::<Vec<_>>(),
        })));
        document
    }
}

/// The version of that document. Keys may be added to it; none is taken away or changes its meaning.
const SCAN_VERSION: u32 = 1;

/// Returns the document that `scan --json` prints of a log alone.
pub fn scan_json(reading: &LogSummary) -> Value {
    let verdict = ScanVerdict::of(reading);
    let alerts: Vec<Value> = reading
        .alerts
        .iter()
        .map(|alert| {
            json!({
                "kind": alert.kind,
                "count": alert.count,
                "first_line": alert.first_line,
                "last_line": alert.last_line,
                "text": alert.text,
                "parts": alert.parts,
            })
        })
        .collect();
    let warnings: Vec<String> = verdict.warnings(reading);
    let mut document = json!({
        "version": SCAN_VERSION,
        "preset": reading.preset,
        "progress": reading.progress,
        "part": reading.part,
        "metrics": reading.metrics,
        "alerts": alerts,
        "warnings": warnings,
        "lines": reading.lines,
        "last_line": {"line": reading.last_line_number, "text": reading.last_line},
        "runs": reading.runs(),
    });
    verdict.write_to(&mut document);
    document
}
