//! A sweep that grows while it runs: values that a user adds, and checkpoints that a training writes.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::process::Signal;

use crate::harness::place::{Place, Run};
use crate::harness::processes::signal;
use crate::harness::screen::Screen;
use crate::harness::wait::until;

const GATED: &str = "name = 'gated'\n[matrix]\npolicy = ['flat', 'rough']\nenv = ['grass']\n[shard]\n\
    command = 'echo {{ policy }} {{ env }}; until [ -e go ]; do sleep 0.05; done; echo {{ policy }} >> ran'\n\
    [schedule]\nparallel = 2\n";

fn facts(run: &Run<'_>, kind: &str) -> Vec<serde_json::Value> {
    let journal = fs::read_to_string(run.dir.join("journal.jsonl")).expect("every run has a journal");
    let facts = journal.lines().map(|line| serde_json::from_str(line).expect("a line of the journal"));
    facts.filter(|fact: &serde_json::Value| fact["fact"] == kind).collect()
}

fn ids(run: &Run<'_>) -> Vec<String> {
    let status = run.status();
    let shards = status["shards"].as_array().expect("a list of shards");
    shards.iter().filter_map(|shard| shard["id"].as_str().map(str::to_owned)).collect()
}

#[test]
fn values_that_are_added_bring_shards_that_outlive_the_supervisor() {
    let place = Place::new();
    let run = place.start(GATED);
    until("both run", || run.count("running") == 2);
    let ended = run.does("add", &["policy=teacher,pilot"]);
    assert!(ended.stderr.contains("policy + teacher, pilot: 2 new shards"), "{ended:?}");
    assert!(ended.stderr.contains("teacher_grass"), "{ended:?}");
    let supervisor = run.supervisor().expect("a supervisor");
    signal(supervisor, Signal::KILL);
    until("another one has taken over", || run.supervisor().is_some_and(|new| new != supervisor));
    run.does("add", &["env=mud"]);
    let wanted = ["flat_grass", "rough_grass", "teacher_grass", "pilot_grass"];
    let new = ["flat_mud", "rough_mud", "teacher_mud", "pilot_mud"];
    assert_eq!(ids(&run), [wanted, new].concat());
    let uid = u64::from(rustix::process::geteuid().as_raw());
    let added = facts(&run, "values-added");
    assert_eq!((added.len(), added[0]["by"]["uid"].as_u64()), (2, Some(uid)));
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    assert_eq!(run.count("succeeded"), 8);
    let table = place.read("r/results/combined_results.csv").expect("a table");
    assert_eq!(table.lines().count(), 9, "{table}");
    assert!(run.log("pilot_mud", 1).contains("pilot mud"));
    // A run that is over goes on with what is added.
    let ended = run.does("add", &["policy=last"]);
    assert!(ended.stderr.contains("the run goes on"), "{ended:?}");
    assert_eq!(run.wait(), Some(0));
    assert_eq!(run.shard("last_mud")["phase"], "succeeded");
    let table = place.read("r/results/combined_results.csv").expect("a table");
    assert_eq!(table.lines().count(), 11, "{table}");
}

#[test]
fn what_cannot_be_added_is_refused_and_changes_nothing() {
    let place = Place::new();
    let run = place.start(GATED);
    let refused = |words: &[&str], wanted: &str| {
        let ended = run.sweepdeck("add", words);
        assert_eq!(ended.code, Some(2), "{words:?}: {ended:?}");
        assert!(ended.stderr.contains(wanted), "{words:?}: {ended:?}");
    };
    refused(&["polcy=x"], "no axis `polcy`: did you mean `policy`?");
    refused(&["policy=flat"], "`policy` has `flat` already");
    refused(&["policy=x", "env=y"], "one axis after the other");
    refused(&["policy=x;y"], "characters that a shell takes");
    // The value typed into the file as well is no other sweep; another command is.
    place.write("sweep.toml", &GATED.replace("'rough'", "'rough', 'teacher'"));
    run.does("add", &["policy=teacher"]);
    place.write("sweep.toml", &GATED.replace("echo", "printf"));
    refused(&["policy=pilot"], "has changed since the run began");
    run.does("add", &["policy=pilot", "--as-started"]);
    assert_eq!(ids(&run), ["flat_grass", "rough_grass", "teacher_grass", "pilot_grass"]);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn a_dashboard_that_is_open_shows_the_new_shards() {
    let place = Place::new();
    let run = place.start(GATED);
    let mut screen = Screen::open(&place, &["attach", run.word()]);
    screen.until_shown("rough_grass");
    screen.press("i");
    screen.until_shown("Add values");
    screen.press("flat");
    screen.until_shown("`policy` has `flat` already");
    screen.press("\x15teacher\r");
    screen.until_shown("teacher_grass");
    screen.press("5");
    screen.until_shown("policy + teacher: 1 new shard");
    place.write("go", "");
    until("the new shard has run", || run.count("succeeded") == 3);
    screen.press("q");
}

const WATCHED: &str = "name = 'watched'\n[matrix]\nckpt = { glob = 'ckpts/*.pt', watch = WATCH }\nseed = [0, 1]\n\
    [shard]\ncommand = 'test -s {{ ckpt }} && echo {{ ckpt }} {{ seed }}'\n[schedule]\nparallel = 2\n";

fn watched(watch: &str) -> String {
    WATCHED.replace("WATCH", watch)
}

/// A file that gets its name when it is whole.
fn rename_into_place(place: &Place, name: &str) {
    place.write(&format!("{name}.part"), "weights");
    fs::rename(place.path().join(format!("{name}.part")), place.path().join(name)).expect("a file");
}

#[test]
fn checkpoints_that_come_are_evaluated_until_the_training_says_that_it_is_done() {
    let place = Place::new();
    fs::create_dir(place.path().join("ckpts")).expect("a folder");
    let run = place.start(&watched("{ until = 'ckpts/done', settle = '0.3s' }"));
    assert_eq!(ids(&run), [""; 0], "there is no checkpoint yet");
    let check = place.sweepdeck(&["check", "sweep.toml"]).stdout;
    let nothing = "ckpt: 0 values from files `ckpts/*.pt` so far; those that come are taken up\n";
    assert!(check.contains(nothing), "{check}");
    assert!(run.does("status", &[]).stdout.contains("watching ckpts/*.pt for ckpt"));
    place.write("ckpts/step_1.pt", "weights");
    until("the first is evaluated", || run.count("succeeded") == 2);
    // Nobody who waits for the end is told of one.
    assert!(facts(&run, "run-ended").is_empty());
    let supervisor = run.supervisor().expect("a supervisor");
    signal(supervisor, Signal::KILL);
    until("another one has taken over", || run.supervisor().is_some_and(|new| new != supervisor));
    rename_into_place(&place, "ckpts/step_2.pt");
    place.write("ckpts/empty.pt", "");
    until("the second is evaluated", || run.count("succeeded") == 4);
    // What is there with the sign of the end is taken up before it.
    place.write("ckpts/step_3.pt", "weights");
    place.write("ckpts/done", "");
    assert_eq!(run.wait(), Some(0));
    assert_eq!(ids(&run), ["step_1_0", "step_1_1", "step_2_0", "step_2_1", "step_3_0", "step_3_1"]);
    let added = facts(&run, "values-added");
    assert_eq!(added.iter().filter(|fact| fact.get("by").is_none()).count(), 3);
    let ended = facts(&run, "watch-ended");
    assert_eq!((ended.len(), ended[0]["cause"]["because"].as_str()), (1, Some("done")));
}

#[test]
fn a_file_that_is_still_written_waits_until_it_is_whole() {
    let place = Place::new();
    let run = place.start(&watched("{ settle = '1h' }").replace("test -s", "grep -q whole"));
    let half = place.write("ckpts/step_1.pt", "half");
    let long_unchanged = |path: &Path| {
        let old = SystemTime::now() - Duration::from_secs(7200);
        fs::File::options().append(true).open(path).and_then(|file| file.set_modified(old)).expect("a time");
    };
    long_unchanged(&place.write("ckpts/step_0.pt", "whole"));
    until("an old one is evaluated", || run.count("succeeded") == 2);
    place.write("ckpts/step_2.part", "whole");
    fs::rename(place.path().join("ckpts/step_2.part"), place.path().join("ckpts/step_2.pt")).expect("a file");
    until("a renamed one is evaluated", || run.count("succeeded") == 4);
    assert!(!ids(&run).iter().any(|id| id.starts_with("step_1_")), "{:?}", ids(&run));
    fs::write(&half, "whole").expect("a file");
    long_unchanged(&half);
    until("the first is evaluated", || ids(&run).contains(&"step_1_0".to_owned()));
    let refused = run.sweepdeck("unwatch", &["--axis", "seed"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("`seed` is not watched; watched is ckpt"), "{refused:?}");
    run.does("unwatch", &[]);
    assert_eq!(run.wait(), Some(0));
    assert_eq!(run.sweepdeck("unwatch", &[]).code, Some(2));
}

#[test]
fn a_watch_ends_when_nothing_comes_for_a_while_and_sleeps_while_the_run_is_stopped() {
    let place = Place::new();
    place.write("ckpts/step_1.pt", "weights");
    let run = place.start(&watched("{ settle = '0.1s', idle = '1h' }"));
    until("the first is evaluated", || run.count("succeeded") == 2);
    run.does("stop", &[]);
    run.wait();
    rename_into_place(&place, "ckpts/step_2.pt");
    run.does("requeue", &["step_1_0"]);
    until("the watch goes on with the run", || run.count("succeeded") == 4);
    run.does("stop", &["--now"]);
    run.wait();
    let short = Place::new();
    let (ended, run) = short.run_headless(&watched("{ settle = '0.1s', idle = '0.2s' }"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("ckpt is not watched any more: no new file for"), "{ended:?}");
    assert_eq!(ids(&run), [""; 0]);
}
