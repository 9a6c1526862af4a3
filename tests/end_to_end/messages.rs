//! Common mistakes in sweep files and on the command line, and what is said about each.

use std::fs;

use crate::harness::place::{Ended, Place};

/// A heading for each mistake, then the command line, if it is not `check`, and the sweep; behind `--- mended` the sweep
/// or the command line after one step by the message.
const MISTAKES: &str = include_str!("../messages/mistakes.txt");

/// A mistake, and what a reader makes of it.
struct Mistake<'a> {
    name: &'a str,
    line: &'a str,
    sweep: &'a str,
    mended_line: &'a str,
    mended_sweep: &'a str,
}

fn mistakes() -> impl Iterator<Item = Mistake<'static>> {
    MISTAKES.split("### ").filter(|case| !case.is_empty()).map(|case| {
        let (name, rest) = case.split_once('\n').expect("a heading");
        let (wrong, mended) = rest.split_once("--- mended\n").expect("its mended form");
        let (line, sweep) = split_line(wrong);
        let (mended_line, mended_sweep) = split_line(mended);
        let mended_sweep = if mended_sweep.is_empty() { sweep } else { mended_sweep };
        Mistake { name, line, sweep, mended_line, mended_sweep }
    })
}

/// The command line and the sweep.
fn split_line(text: &str) -> (&str, &str) {
    match text.strip_prefix("$ ") {
        Some(rest) => rest.split_once('\n').map(|(line, sweep)| (line, sweep.trim_end())).expect("a line"),
        None => ("check sweep.toml", text.trim_end()),
    }
}

#[test]
fn every_mistake_has_a_place_and_a_remedy() {
    let mut told = String::new();
    let mut count = 0;
    for Mistake { name, line, sweep, .. } in mistakes() {
        let message = said(line, sweep);
        let first = message.lines().next().unwrap_or_default();
        assert!(first.starts_with("error: "), "{name}: {message}");
        let mistakes = message.lines().filter(|line| line.starts_with("error: ")).count();
        assert_eq!(mistakes, 1, "{name} is one mistake: {message}");
        let remedies = ["help: ", "did you mean", "`sweepdeck check` lists them"];
        assert!(remedies.iter().any(|words| message.contains(words)), "{name} has no remedy: {message}");
        told.push_str(&format!("### {name}\n{sweep}\n{message}\n"));
        count += 1;
    }
    assert!(count >= 50, "{count} mistakes");
    insta::with_settings!({ snapshot_path => "../messages", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("mistakes", told);
    });
}

#[test]
fn every_mistake_is_mended_in_one_step() {
    for Mistake { name, line, sweep, mended_line, mended_sweep } in mistakes() {
        let message = said(line, sweep);
        let ended = call(&Place::new(), mended_line, mended_sweep);
        // What this machine lacks for the mended sweep is another matter.
        assert_ne!(ended.code, Some(2), "{name}: {ended:?}");
        let first = message.lines().next().unwrap_or_default();
        assert!(!ended.stderr.contains(first), "{name}: {ended:?}");
    }
}

fn call(place: &Place, line: &str, sweep: &str) -> Ended {
    place.write("sweep.toml", sweep);
    let words = shell_words::split(line).expect("words");
    place.sweepdeck(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What the program says, without notes about this machine.
fn said(line: &str, sweep: &str) -> String {
    let place = Place::new();
    let ended = call(&place, line, sweep);
    assert!(matches!(ended.code, Some(2 | 3)), "{line}: {ended:?}");
    let folder = fs::canonicalize(place.path()).expect("a folder");
    let text = ended.stderr.replace(&format!("{}/", folder.display()), "");
    let start = text.find("error: ").unwrap_or(0);
    let is_note = |line: &&str| line.starts_with("note: ") || line.starts_with("warning: ");
    text[start..]
        .lines()
        .take_while(|line| !is_note(line))
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

#[test]
fn a_file_in_another_encoding_is_one_mistake_with_its_remedy() {
    let place = Place::new();
    let sweep = "[shard]\ncommand = \"true\"\n";
    let units = || std::iter::once(0xfeff).chain(sweep.encode_utf16());
    for (name, bytes) in [
        ("little.toml", units().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()),
        ("big.toml", units().flat_map(u16::to_be_bytes).collect()),
    ] {
        fs::write(place.path().join(name), bytes).expect("a file");
        let ended = place.sweepdeck(&["check", name]);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        let wanted = format!(
            "error: {name} is UTF-16, and a sweep is UTF-8\n  \
             help: save it as UTF-8, or: iconv -f UTF-16 -t UTF-8 {name} > utf8.toml\n"
        );
        assert_eq!(ended.stderr, wanted);
    }
    fs::write(place.path().join("latin.toml"), b"[shard]\ncommand = 'echo \xe9'\n").expect("a file");
    let ended = place.sweepdeck(&["check", "latin.toml"]);
    assert_eq!(ended.stderr, "error: latin.toml:2 is not UTF-8\n  help: save the file as UTF-8\n");
}

#[test]
fn a_first_word_that_is_neither_run_nor_shard_is_said_to_be_neither() {
    let place = Place::new();
    let (_, run) = place.run_headless("name = \"s\"\n[matrix]\nn = [1, 2]\n[shard]\ncommand = [\"true\"]\n");
    let ended = place.sweepdeck(&["kill", "r1", "x"]);
    assert_eq!(ended.code, Some(4), "{ended:?}");
    let folder = run.dir.display();
    let wanted = format!(
        "error: `r1` is neither a run nor a shard of {folder}\n  help: its shards: 1, 2; `sweepdeck ls` lists the runs\n"
    );
    assert_eq!(ended.stderr, wanted);
    let ended = place.sweepdeck(&["kill", "1", "x"]);
    assert!(ended.stderr.contains("has no shard `x`"), "{ended:?}");
}

#[test]
fn a_value_outside_the_matrix_is_pointed_out_and_runs() {
    let place = Place::new();
    let sweep =
        "name = \"s\"\n[matrix]\nn = [1, 2]\n[shard]\nid = \"s{{ n }}\"\ncommand = \"test {{ n }} != 2\"\n";
    let (_, run) = place.run_headless(sweep);
    let inside = run.does("requeue", &["s2", "--set", "n=1"]);
    assert!(!inside.stderr.contains("note: "), "{inside:?}");
    assert_eq!(run.wait(), Some(0));
    let outside = run.does("requeue", &["s2", "--set", "n=7"]);
    assert!(outside.stderr.contains("note: `7` is no value of `n` in the matrix (1, 2)\n"), "{outside:?}");
    assert_eq!(run.wait(), Some(0));
}
