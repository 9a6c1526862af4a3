//! N trivial shards launched, finished and recorded by `sweepdeck run --headless`, against a `screen -dmS` loop.
//!
//! Both run in turn on the same machine; the figure that counts is the ratio of the medians (budget 2.0, goal 1.0).

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;

fn main() {
    let has_screen = Command::new("screen").arg("-v").stdout(Stdio::null()).status().is_ok();
    // Kept to the end: ext4 is slow in making files where many were removed a moment ago.
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for shards in [8, 64, 500] {
        let mut ours = Vec::new();
        let mut theirs = Vec::new();
        for round in 0..ROUNDS {
            let folder = folder.path().join(format!("{shards}-{round}"));
            fs::create_dir(&folder).expect("the folder of a round can be made");
            ours.push(sweepdeck(&folder, shards));
            if has_screen {
                theirs.push(screen(&folder, shards, round));
            }
        }
        report(shards, median(ours), has_screen.then(|| median(theirs)));
    }
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn report(shards: usize, ours: Duration, theirs: Option<Duration>) {
    let ours = ours.as_secs_f64() * 1000.0;
    match theirs.map(|theirs| theirs.as_secs_f64() * 1000.0) {
        Some(theirs) => println!(
            "{shards:>4} shards: sweepdeck {ours:.0} ms, screen {theirs:.0} ms, ratio {:.2} (budget 2.0, goal 1.0)",
            ours / theirs
        ),
        None => println!("{shards:>4} shards: sweepdeck {ours:.0} ms (screen is not installed)"),
    }
}

fn sweepdeck(folder: &Path, shards: usize) -> Duration {
    let numbers: Vec<String> = (0..shards).map(|number| number.to_string()).collect();
    let sweep = folder.join("sweep.toml");
    let text = format!(
        "name = \"launch\"\n[matrix]\nn = [{}]\n[shard]\ncommand = [\"true\"]\n[schedule]\nparallel = {shards}\n",
        numbers.join(", ")
    );
    fs::write(&sweep, text).expect("the sweep can be written");
    let begun = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_sweepdeck"))
        .args(["run".as_ref(), sweep.as_os_str(), "--headless".as_ref(), "--out".as_ref()])
        .arg(folder.join("run"))
        .env("XDG_STATE_HOME", folder.join("state"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("sweepdeck starts");
    assert!(status.success(), "sweepdeck ended with {status}");
    begun.elapsed()
}

/// What `screen` does not record the shell command does: one file with the exit code for each.
fn screen(folder: &Path, shards: usize, round: usize) -> Duration {
    let codes = folder.join("codes");
    fs::create_dir(&codes).expect("the folder of exit codes can be made");
    let begun = Instant::now();
    for shard in 0..shards {
        let record = format!("true; echo $? > {}/{shard}", codes.display());
        let session = format!("sweepdeck-bench-{}-{round}-{shard}", std::process::id());
        let started = Command::new("screen").args(["-dmS", &session, "sh", "-c", &record]).status();
        assert!(started.is_ok_and(|status| status.success()), "screen starts");
    }
    let done = || fs::read_dir(&codes).expect("the folder of exit codes is there").count() >= shards;
    while !done() {
        std::thread::sleep(Duration::from_millis(1));
    }
    begun.elapsed()
}

fn median(mut durations: Vec<Duration>) -> Duration {
    durations.sort();
    durations[durations.len() / 2]
}
