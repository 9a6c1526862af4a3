//! Damaged lines of a journal, and records of a newer version: nothing is done twice for them, and what is sound is kept.

use std::fs;

use serde_json::Value;

use crate::harness::place::{Place, Run};
use crate::harness::processes;
use crate::harness::wait::until;

/// Three shards, one after the other; each leaves a witness, and the last waits until it may end.
const THREE: &str = "name = \"sound\"\n[matrix]\nn = [1, 2, 3]\n[shard]\nid = \"n{{ n }}\"\n\
    command = \"echo start >> witness-{{ n }}; [ {{ n }} -lt 3 ] || until [ -e go ]; do sleep 0.05; done\"\n\
    [schedule]\nparallel = 1\n";

fn witnesses(place: &Place) -> Vec<String> {
    (1..=3).map(|n| place.read(&format!("witness-{n}")).unwrap_or_default()).collect()
}

/// The third shard is at work, and everything has died.
fn dead_run(place: &Place) -> Run<'_> {
    let run = place.start(THREE);
    until("the third runs", || witnesses(place)[2] == "start\n");
    processes::end_all_of(place.path());
    until("no supervisor lives", || run.supervisor().is_none());
    run
}

fn change_line(run: &Run<'_>, word: &str, change: impl FnOnce(&mut Vec<String>, usize)) {
    let path = run.dir.join("journal.jsonl");
    let text = fs::read_to_string(&path).expect("a journal");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = lines.iter().position(|line| line.contains(word)).expect("such a line");
    change(&mut lines, at);
    fs::write(&path, lines.join("\n") + "\n").expect("it is mine");
}

#[test]
fn a_damaged_line_is_found_by_every_verb_and_what_is_sound_is_kept() {
    let changes: [fn(&mut Vec<String>, usize); 3] = [
        // One bit of a figure, so that the line still reads.
        |lines, at| lines[at] = lines[at].replace("\"attempt\":1", "\"attempt\":3"),
        |lines, at| drop(lines.remove(at)),
        |lines, at| lines.swap(at, at + 1),
    ];
    for change in changes {
        let place = Place::new();
        let run = dead_run(&place);
        change_line(&run, "attempt-starting\",\"shard\":\"n2\"", change);
        let damaged = fs::read(run.dir.join("journal.jsonl")).expect("a journal");
        for (verb, words) in
            [("status", &[][..]), ("wait", &[]), ("recover", &[]), ("report", &[]), ("requeue", &["--all"])]
        {
            let refused = run.sweepdeck(verb, words);
            assert_eq!(refused.code, Some(5), "{verb}: {refused:?}");
            assert!(refused.stderr.contains("recover --salvage"), "{verb}: {refused:?}");
        }
        assert_eq!(
            fs::read(run.dir.join("journal.jsonl")).expect("a journal"),
            damaged,
            "it is left as it is"
        );
        let salvaged = run.does("recover", &["--salvage"]);
        assert_eq!(fs::read(run.dir.join("journal.damaged-1.jsonl")).expect("kept"), damaged, "{salvaged:?}");
        assert_eq!(run.count("succeeded"), 2, "{salvaged:?} {}", run.status());
        place.write("go", "");
        run.does("recover", &[]);
        assert_eq!(run.wait(), Some(0), "{}", run.status());
        assert_eq!(witnesses(&place)[..2], ["start\n", "start\n"], "what has ended did not run again");
    }
}

#[test]
fn a_run_that_lost_its_journal_is_made_again_from_its_attempts() {
    let place = Place::new();
    let run = dead_run(&place);
    fs::remove_file(run.dir.join("journal.jsonl")).expect("a journal");
    assert_eq!(run.sweepdeck("recover", &[]).code, Some(5));
    run.does("recover", &["--salvage"]);
    place.write("go", "");
    run.does("recover", &[]);
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(witnesses(&place)[..2], ["start\n", "start\n"]);
}

#[test]
fn a_sound_journal_is_not_touched() {
    let place = Place::new();
    let run = dead_run(&place);
    let before = fs::read(run.dir.join("journal.jsonl")).expect("a journal");
    let salvaged = run.does("recover", &["--salvage"]);
    assert!(salvaged.stderr.contains("is sound"), "{salvaged:?}");
    assert_eq!(fs::read(run.dir.join("journal.jsonl")).expect("a journal"), before);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    let beside = place.start_with(&["run", "sweep.toml", "--detach", "--out", "again"]);
    let live = Run { place: beside.place, dir: place.path().join("again") };
    until("a supervisor lives", || live.supervisor().is_some());
    assert_eq!(live.sweepdeck("recover", &["--salvage"]).code, Some(5), "its supervisor is at work");
}

fn set_version(run: &Run<'_>, name: &str) {
    let path = run.dir.join(name);
    let mut record: Value = serde_json::from_slice(&fs::read(&path).expect("a record")).expect("JSON");
    record["version"] = 99.into();
    fs::write(&path, record.to_string()).expect("it is mine");
}

#[test]
fn an_exit_record_of_a_newer_version_is_no_damage() {
    let place = Place::new();
    let run = place.start("name = \"newer\"\n[shard]\nid = \"only\"\ncommand = \"echo start >> witness; until [ -e go ]; do sleep 0.05; done\"\n");
    until("it runs", || place.read("witness").is_some());
    processes::end_all_of(place.path());
    let attempt = run.dir.join("shards/only/attempt-01");
    fs::write(attempt.join("exit.json"), "{\"version\":99,\"end\":\"in-a-new-way\"}").expect("it is mine");
    run.does("recover", &[]);
    let is_said =
        || place.read("r/journal.jsonl").is_some_and(|journal| journal.contains("format version 99"));
    until("it is said", is_said);
    assert_eq!(place.read("witness").as_deref(), Some("start\n"), "nothing runs a second time");
    assert_eq!(fs::read_dir(run.dir.join("shards/only")).expect("attempts").count(), 1);
}

#[test]
fn a_plan_of_a_newer_version_is_refused() {
    let place = Place::new();
    let run = dead_run(&place);
    set_version(&run, "plan.json");
    for (verb, words) in [("status", &[][..]), ("recover", &[]), ("report", &[]), ("requeue", &["--all"])] {
        let refused = run.sweepdeck(verb, words);
        assert!(
            refused.code == Some(5) && refused.stderr.contains("use a newer sweepdeck"),
            "{verb}: {refused:?}"
        );
    }
}
