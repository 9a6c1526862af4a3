//! How fast logs are read, on one core: `cargo bench --bench log_reading`.

#![expect(clippy::print_stdout, reason = "a benchmark prints its result")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use evaldeck::progress::reader::LogReader;
use evaldeck::progress::rules::LogRules;

/// The design's budget.
const BUDGET_MB_PER_S: f64 = 200.0;
/// What a log is read in.
const CHUNK: usize = 64 * 1024;
/// Long enough that the start does not count.
const LEAST: Duration = Duration::from_secs(1);

fn main() {
    let logs = [("rsl-rl", training()), ("tqdm", bars()), ("plain", plain())];
    let mixed: Vec<u8> = logs.iter().flat_map(|(_, log)| log).copied().collect();
    let each: Vec<String> =
        logs.iter().map(|(name, log)| format!("{name} {:.0}", megabytes_per_second(log))).collect();
    println!(
        "log reading: {:.0} MB/s ({}), budget {BUDGET_MB_PER_S:.0} MB/s",
        megabytes_per_second(&mixed),
        each.join(", ")
    );
}

fn megabytes_per_second(log: &[u8]) -> f64 {
    let rules = Arc::new(LogRules::preset("auto").expect("`auto` is built in"));
    let start = Instant::now();
    let mut bytes = 0;
    while start.elapsed() < LEAST {
        let mut reader = LogReader::new(Arc::clone(&rules));
        let mut marks = Vec::new();
        for chunk in log.chunks(CHUNK) {
            reader.feed(chunk, &mut marks);
            black_box(&marks);
            marks.clear();
        }
        reader.finish(&mut marks);
        black_box(reader.reading());
        bytes += log.len();
    }
    bytes as f64 / 1e6 / start.elapsed().as_secs_f64()
}

/// Blocks of an rsl_rl training: 80 metrics an iteration, as a terminal gets them.
fn training() -> Vec<u8> {
    let mut log = String::new();
    for iteration in 0..2000 {
        log.push_str(&format!("{}\r\n", "#".repeat(80)));
        log.push_str(&format!(
            "         \x1b[1m Learning iteration {iteration}/2000 \x1b[0m          \r\n\r\n"
        ));
        log.push_str(&format!(
            "    Computation: {} steps/s (collection: 2.4s, learning 0.2s)\r\n",
            8000 + iteration
        ));
        log.push_str(&format!("                       Mean reward: -{iteration}.36\r\n"));
        for term in 0..20 {
            log.push_str(&format!("  Episode_Reward/term_{term:02}_exp: 0.0{iteration}\r\n"));
        }
        log.push_str(&format!("               Total timesteps: {}\r\n", iteration * 24576));
        log.push_str("                       ETA: 00:00:12\r\n");
    }
    log.into_bytes()
}

/// One bar of many updates, without a newline.
fn bars() -> Vec<u8> {
    let bar = "█".repeat(20);
    (0..20_000)
        .map(|step| {
            format!(
                "\rEvaluating:  {:>3}%|{bar}| {step}/20000 [00:05<00:10, 5.88it/s, loss=0.69]",
                step / 200
            )
        })
        .collect::<String>()
        .into_bytes()
}

/// Lines that say nothing.
fn plain() -> Vec<u8> {
    (0..20_000)
        .map(|line| {
            format!(
                "2026-02-19T21:45:25Z [{line},750ms] [Warning] [sim.sensor] sensor {line} is deprecated\n"
            )
        })
        .collect::<String>()
        .into_bytes()
}
