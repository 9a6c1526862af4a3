//! A log read with `auto`: whole, in pieces of every size, and cut short.

use std::sync::{Arc, LazyLock};

use crate::model::logs::mark::MarkKind;
use crate::model::outcome::Progress;
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;
use crate::progress::reading::LogSummary;
use crate::progress::scan::reading::{ScanVerdict, scan_json};

/// Compiled once: a test reads a log hundreds of times.
static AUTO: LazyLock<Arc<LogRules>> = LazyLock::new(|| Arc::new(LogRules::preset("auto").unwrap()));

/// So many ends of a log are tried: enough for each of its lines, few enough for long logs.
const ENDS: usize = 100;

fn read_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<(u64, MarkKind)>, LogSummary) {
    let mut reader = LogReader::new(Arc::clone(&AUTO));
    let mut marks = Vec::new();
    for piece in pieces {
        reader.feed(piece, &mut marks);
    }
    reader.finish(&mut marks);
    (marks, reader.reading().clone())
}

/// What a prefix of each line must not change.
fn numbers(reading: &LogSummary) -> (Option<&str>, Option<Progress>, serde_json::Value) {
    (reading.preset, reading.progress, scan_json(reading)["metrics"].clone())
}

/// Reads a log, after checking that it is read the same in small pieces and behind prefixes, and that beginnings of it do not
/// break the reader.
pub(super) fn read(log: &str) -> LogSummary {
    let bytes = log.as_bytes();
    let whole = read_pieces([bytes]);
    for size in [1, 2, 7, 64] {
        assert_eq!(read_pieces(bytes.chunks(size)), whole, "in pieces of {size} bytes");
    }
    for prefix in ["[rank0]: ", "2026-11-21 10:00:00,123 - INFO - "] {
        let prefixed: String = log.split_inclusive('\n').map(|line| format!("{prefix}{line}")).collect();
        assert_eq!(numbers(&read_pieces([prefixed.as_bytes()]).1), numbers(&whole.1), "behind {prefix}");
    }
    for end in (0..bytes.len()).step_by(1 + bytes.len() / ENDS) {
        read_pieces([&bytes[..end]]);
    }
    check_runs(bytes, &whole.1);
    whole.1
}

/// Much less is done: a count that is about the same may be the same one, printed again.
fn is_far_from(part: &LogSummary, whole: &LogSummary) -> bool {
    let done = |reading: &LogSummary| reading.progress.map_or(0, |progress| progress.done);
    done(part) * 10 < done(whole) * 9
}

/// Checks what must hold of a complete log of one run: part of another run behind it is no success unless it is one by itself.
fn check_runs(bytes: &[u8], whole: &LogSummary) {
    let is_success = |reading: &LogSummary| ScanVerdict::of(reading).as_str() == "succeeded";
    if !is_success(whole) || whole.restarts > 0 {
        return;
    }
    let log = String::from_utf8_lossy(bytes);
    let mut marks = Vec::new();
    let [mut behind, mut alone] = [(); 2].map(|()| LogReader::new(Arc::clone(&AUTO)));
    behind.feed(bytes, &mut marks);
    behind.feed(if bytes.ends_with(b"\n") { b"" } else { b"\n" }, &mut marks);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        behind.feed(line, &mut marks);
        alone.feed(line, &mut marks);
        let begun = alone.reading().progress.is_some_and(|progress| progress.done > 0)
            && alone.reading().preset == whole.preset
            && is_far_from(alone.reading(), whole);
        if begun && !is_success(alone.reading()) && behind.reading().restart_text().is_none() {
            assert!(!is_success(behind.reading()), "line {} of\n{log}", alone.reading().lines);
        }
    }
}

/// The preset, what is done, of how much, and the verdict.
pub(super) fn summary(log: &str) -> (String, Option<u64>, Option<u64>, &'static str) {
    let reading = read(log);
    (
        reading.preset.unwrap_or("none").to_owned(),
        reading.progress.map(|progress| progress.done),
        reading.progress.and_then(|progress| progress.total),
        ScanVerdict::of(&reading).as_str(),
    )
}

/// The metrics, as `scan --json` shows them.
pub(super) fn metrics(log: &str) -> serde_json::Value {
    scan_json(&read(log))["metrics"].clone()
}
