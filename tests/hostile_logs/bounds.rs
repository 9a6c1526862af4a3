//! Logs without measure, read by the real program with little memory: 1 GB without a newline and the like. A hundredth of
//! each is read, so that this takes seconds, unless [`LONG_LOGS`] is set or the build is a release.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::Command;

/// Memory for data that the program may use, in KiB: a tenth of what the longest of these logs holds.
const MOST_MEMORY: &str = "100000";

/// A report for people or programs that is longer is a copy of the log.
const MOST_OUTPUT: usize = 100_000;

/// Set to read the logs in full size.
const LONG_LOGS: &str = "SWEEPDECK_TEST_LONG_LOGS";

fn megabytes(count: usize) -> usize {
    let in_full = !cfg!(debug_assertions) || std::env::var_os(LONG_LOGS).is_some();
    if in_full { count * 1_000_000 } else { count * 10_000 }
}

/// Reads the log as `sweepdeck scan` does; gives the JSON.
fn scan(file: &File, path: &std::path::Path, preset: &str) -> String {
    file.sync_data().expect("the log is on the disk");
    let line = format!("ulimit -d {MOST_MEMORY} && exec \"$0\" scan \"$1\" --preset {preset} --json");
    let scanned = Command::new("bash")
        .args(["-c", &line, env!("CARGO_BIN_EXE_sweepdeck")])
        .arg(path)
        .output()
        .expect("bash starts");
    let errors = String::from_utf8_lossy(&scanned.stderr);
    assert!(scanned.status.success(), "{}: {errors}", scanned.status);
    assert!(scanned.stdout.len() < MOST_OUTPUT, "{} bytes of output", scanned.stdout.len());
    String::from_utf8(scanned.stdout).expect("JSON is UTF-8")
}

/// Scans a log made of so many bytes of pieces.
fn scan_pieces(length: usize, preset: &str, mut piece: impl FnMut(usize) -> String) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("output.log");
    let mut log = BufWriter::new(File::create(&path).expect("a file"));
    let (mut written, mut number) = (0, 0);
    while written < length {
        let text = piece(number);
        log.write_all(text.as_bytes()).expect("the disk has room");
        written += text.len();
        number += 1;
    }
    scan(&log.into_inner().expect("the disk has room"), &path, preset)
}

fn scan_repeated(length: usize, begin: &str, repeated: &str) -> String {
    scan_pieces(length, "auto", |number| {
        format!("{}{}", if number == 0 { begin } else { "" }, repeated.repeat(10_000))
    })
}

#[test]
fn a_gigabyte_without_a_newline() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("output.log");
    let log = File::create(&path).expect("a file");
    // A sparse file reads as zeros, as `/dev/zero` does.
    log.set_len(megabytes(1000) as u64).expect("a long file");
    scan(&log, &path, "auto");
    scan_repeated(megabytes(100), "Evaluating:  10%|", "█");
}

#[test]
fn long_lines_of_what_bars_are_made_of() {
    for sign in ["[", "%|", "5%|", "━", "=", " 1/2 ["] {
        scan_pieces(megabytes(10), "auto", |_| format!("5it [{}\n", sign.repeat(60_000 / sign.len())));
    }
}

#[test]
fn carriage_returns_and_sequences_without_end() {
    for (begin, repeated) in [
        ("", "\r"),
        ("", "\x1b"),
        ("\x1b[", "1;"),
        ("\x1b]0;", "x"),
        ("\x1bP", "q"),
        ("", "\x1b]"),
        ("", "\x1b[A"),
    ] {
        scan_repeated(megabytes(100), begin, repeated);
    }
}

#[test]
fn names_without_number() {
    let length = megabytes(50);
    let bar = |n: usize| {
        format!(
            "\rTask {}{n}:  10%|█    | 1/10 [00:01<00:09,  1.00it/s, loss{n}=0.5, m{n}=1]",
            char::from(b'a' + (n % 26) as u8)
        )
    };
    scan_pieces(length, "tqdm", bar);
    scan_pieces(length, "auto", bar);
    scan_pieces(length, "isaac-eval", |n| {
        let outcome: String = n.to_string().bytes().map(|digit| char::from(digit - b'0' + b'A')).collect();
        format!("  [   1/9] a_ep0  {outcome}  progress=  1.0m  zone=1  time=9.7s\n")
    });
    scan_pieces(length, "auto", |n| {
        format!("ModuleNotFoundError: No module named 'm{n}'\nrun.sh: line 3: c{n}: command not found\n")
    });
    for preset in ["rl-games", "openvla", "lerobot", "vla-eval", "robotwin", "rlinf"] {
        scan_pieces(length / 5, preset, |n| {
            format!(
                "Task: t{n}\nTask suite: s{n}\n'eval/name_{n}': 0.5, eval/name{n}=0.5\n[{n}/99] t{n}: success\n\
                 {{'pc_success_{n}': 1.0}}\nTask t{n} success rate: 0.5\nsuite_{n}: 50.0%\nSuccess: True\n"
            )
        });
    }
}

#[test]
fn tracebacks_without_end() {
    let found = scan_repeated(
        megabytes(100),
        "",
        "Traceback (most recent call last):\n  File \"e.py\", line 3, in f\n    f()\nKeyError: 'x'\n",
    );
    assert!(found.contains("\"reason\":\"exception\""), "{found}");
}

#[test]
fn brackets_and_bars_that_close_nowhere() {
    for repeated in ["[", "%|", "1/", "[00:01<", "9%|█| 1/2 [", ": ", "=", "Episode 1/"] {
        scan_repeated(megabytes(20), "Evaluating:  10%|█ | 1/10 [00:01<00:09] ", repeated);
    }
}
