//! One log read whole and in pieces: the same marks and the same reading must come out.

use std::sync::{Arc, LazyLock};

use sweepdeck::model::logs::mark::MarkKind;
use sweepdeck::progress::formats::presets::table::AUTO;
use sweepdeck::progress::reader::log_reader::LogReader;
use sweepdeck::progress::reader::rules::LogRules;
use sweepdeck::progress::reading::LogSummary;
use sweepdeck::progress::scan::reading::scan_json;
use sweepdeck::progress::scan::text::scan_text;

/// Compiled once: thousands of logs are read.
static RULES: LazyLock<Arc<LogRules>> =
    LazyLock::new(|| Arc::new(LogRules::preset(AUTO).expect("it is built in")));

/// Reads the log whole and cut into pieces of these lengths, over and over; panics where the two differ.
pub fn read(log: &[u8], lengths: &[u8]) -> LogSummary {
    let whole = read_pieces([log]);
    let mut pieces = Vec::new();
    let mut rest = log;
    for length in lengths.iter().cycle().take_while(|_| !lengths.is_empty()) {
        let (piece, later) = rest.split_at(rest.len().min(usize::from(*length) + 1));
        pieces.push(piece);
        rest = later;
        if rest.is_empty() {
            break;
        }
    }
    pieces.push(rest);
    assert_eq!(read_pieces(pieces), whole, "cut into pieces of {lengths:?}");
    // What is made of it for people must not break either.
    scan_json(&whole.1);
    scan_text(&whole.1);
    whole.1
}

fn read_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<(u64, MarkKind)>, LogSummary) {
    let mut reader = LogReader::new(Arc::clone(&RULES));
    let mut marks = Vec::new();
    for piece in pieces {
        reader.feed(piece, &mut marks);
    }
    reader.finish(&mut marks);
    (marks, reader.reading().clone())
}
