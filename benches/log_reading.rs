//! How fast logs are read, on one core: `cargo bench --bench log_reading [NAME…]`.

#![expect(clippy::print_stdout, reason = "a benchmark prints its result")]

mod logs;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use logs::{LOGS, PLAIN, Piece};
use sweepdeck::progress::formats::presets::table;
use sweepdeck::progress::reader::log_reader::LogReader;
use sweepdeck::progress::reader::rules::LogRules;

/// The design's budget.
const BUDGET_MB_PER_S: f64 = 200.0;
/// What a log is read in.
const CHUNK: usize = 64 * 1024;
/// A long training's log; longer than any cache.
const LOG_BYTES: usize = 100_000_000;
/// Long enough that the start does not count.
const LEAST: Duration = Duration::from_secs(1);

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let mut slowest = f64::INFINITY;
    for (name, piece) in LOGS.iter().filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|w| w == name))
    {
        let log = log_of(*piece);
        let auto = megabytes_per_second(&log, table::AUTO, name);
        let declared = if *name == PLAIN { auto } else { megabytes_per_second(&log, name, name) };
        slowest = slowest.min(auto).min(declared);
        println!("{name:<11} {auto:>5.0} MB/s found by itself, {declared:>5.0} MB/s declared");
    }
    for preset in table::ALL.iter().filter(|preset| LOGS.iter().all(|(name, _)| *name != preset.name)) {
        println!("{:<11} not measured: it has no log in benches/logs", preset.name);
    }
    println!("log reading: {slowest:.0} MB/s at least, budget {BUDGET_MB_PER_S:.0} MB/s");
}

fn log_of(piece: Piece) -> Vec<u8> {
    let mut log = String::with_capacity(LOG_BYTES + 8 * 1024);
    let mut number = 0;
    while log.len() < LOG_BYTES {
        piece(&mut log, number);
        number += 1;
    }
    log.into_bytes()
}

/// Reads the log with the preset `rules`; it must be recognised as `name`.
fn megabytes_per_second(log: &[u8], rules: &str, name: &str) -> f64 {
    let rules = Arc::new(LogRules::preset(rules).expect("it is built in"));
    let start = processor_time();
    let mut bytes = 0;
    while processor_time() - start < LEAST {
        let mut reader = LogReader::new(Arc::clone(&rules));
        let mut marks = Vec::new();
        for chunk in log.chunks(CHUNK) {
            reader.feed(chunk, &mut marks);
            black_box(&marks);
            marks.clear();
        }
        reader.finish(&mut marks);
        assert_eq!(black_box(reader.reading()).preset.unwrap_or(PLAIN), name, "who reads the log");
        bytes += log.len();
    }
    bytes as f64 / 1e6 / (processor_time() - start).as_secs_f64()
}

/// What this process has used of its core: other programs on the machine do not count.
fn processor_time() -> Duration {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(used).expect("a time that was used is not negative")
}
