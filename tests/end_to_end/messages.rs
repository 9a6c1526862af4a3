//! Common mistakes in sweep files and on the command line, and what is said about each.

use std::fs;

use crate::harness::place::Place;

/// A heading for each mistake, then the command line, if it is not `check`, and the sweep.
const MISTAKES: &str = include_str!("../messages/mistakes.txt");

#[test]
fn every_mistake_has_a_place_and_a_remedy() {
    let mut told = String::new();
    let mut count = 0;
    for case in MISTAKES.split("### ").filter(|case| !case.is_empty()) {
        let (name, rest) = case.split_once('\n').expect("a heading");
        let (line, sweep) = match rest.strip_prefix("$ ") {
            Some(rest) => rest.split_once('\n').expect("a command line"),
            None => ("check sweep.toml", rest),
        };
        let message = said(line, sweep);
        let first = message.lines().next().unwrap_or_default();
        assert!(first.starts_with("error: "), "{name}: {message}");
        let remedies = ["help: ", "did you mean", "`sweepdeck check` lists them"];
        assert!(remedies.iter().any(|words| message.contains(words)), "{name} has no remedy: {message}");
        told.push_str(&format!("### {name}\n{}\n{message}\n", sweep.trim_end()));
        count += 1;
    }
    assert!(count >= 50, "{count} mistakes");
    insta::with_settings!({ snapshot_path => "../messages", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("mistakes", told);
    });
}

/// What the program says, without notes about this machine.
fn said(line: &str, sweep: &str) -> String {
    let place = Place::new();
    place.write("sweep.toml", sweep.trim_end());
    let words = shell_words::split(line).expect("words");
    let ended = place.sweepdeck(&words.iter().map(String::as_str).collect::<Vec<_>>());
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
