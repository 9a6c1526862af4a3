//! Output of a program through its pseudo-terminal into the log, against `script` of util-linux: MB/s of 64 KiB
//! writes.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const MEGABYTES: usize = 256;
const ROUNDS: usize = 9;

fn main() {
    let mut arguments = std::env::args();
    if arguments.nth(1).as_deref() == Some("produce") {
        return produce();
    }
    // In turn, because what else the machine does changes from one second to the next.
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(holder());
        theirs.extend(has_script().then(script));
    }
    report(median(ours), (!theirs.is_empty()).then(|| median(theirs)));
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn report(ours: f64, theirs: Option<f64>) {
    match theirs {
        Some(theirs) => {
            println!(
                "pty to log: holder {ours:.1} MB/s, script {theirs:.1} MB/s, ratio {:.2} (budget 0.9)",
                ours / theirs
            );
        }
        None => println!("pty to log: holder {ours:.1} MB/s (script is not installed)"),
    }
}

/// The program on the terminal: lines of 64 characters, 64 KiB a write.
fn produce() {
    let mut line = [b'x'; 64];
    line[63] = b'\n';
    let block = line.repeat(1024);
    // The standard library's stdout would cut the writes at lines.
    let mut out = File::create("/dev/tty").expect("there is a terminal");
    for _ in 0..MEGABYTES * 1_000_000 / block.len() {
        out.write_all(&block).expect("the terminal takes output");
    }
}

fn producer() -> String {
    let path = std::env::current_exe().expect("this program has a path");
    path.to_str().expect("a plain path").to_owned()
}

fn holder() -> f64 {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    // In its place in a run: a holder believes only what others could not have written.
    let run = folder.path().join("run");
    let attempt = run.join("shards/bench/attempt-01");
    fs::create_dir_all(&attempt).expect("the attempt's folder can be made");
    let order = serde_json::json!({
        "version": 1, "run": "bench", "run_dir": run, "key": { "shard": "bench", "attempt": 1 },
        "argv": [producer(), "produce"], "cwd": "/", "env": {}, "socket": folder.path().join("s/socket"),
        "size": { "rows": 40, "columns": 160 }, "grace": { "interrupt": 1.0, "terminate": 1.0 }, "linger": 1.0,
    });
    fs::write(attempt.join("order.json"), order.to_string()).expect("the order can be written");
    let begun = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_sweepdeck")).arg("hold").arg(&attempt).status();
    assert!(status.is_ok_and(|status| status.success()), "the holder ends well");
    rate(&attempt.join("output.log"), begun)
}

fn script() -> f64 {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let log = folder.path().join("typescript");
    let begun = Instant::now();
    let status = Command::new("script")
        .args(["-q", "-c", &format!("{} produce", producer())])
        .arg(&log)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status();
    assert!(status.is_ok_and(|status| status.success()), "script ends well");
    rate(&log, begun)
}

/// Bytes that the program wrote for each second; the terminal adds a carriage return to each line.
fn rate(log: &Path, begun: Instant) -> f64 {
    let seconds = begun.elapsed().as_secs_f64();
    let size = fs::metadata(log).expect("the log is there").len();
    assert!(size as usize >= MEGABYTES * 990_000, "the log holds {size} bytes only");
    size as f64 * 64.0 / 65.0 / 1e6 / seconds
}

fn has_script() -> bool {
    Command::new("script").arg("--version").stdout(Stdio::null()).status().is_ok()
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
