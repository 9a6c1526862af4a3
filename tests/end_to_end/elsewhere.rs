//! A run that lives in another place, or a copy of one, is shown here and never acted upon.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::harness::place::{Ended, PROGRAM, Place, Run};
use crate::harness::processes::{self, with_command};
use crate::harness::wait::until;

/// Four shards, two at a time; each leaves a witness of its start and waits until it may end.
const FOUR: &str = "name = \"far\"\n[matrix]\nn = [1, 2, 3, 4]\n[shard]\n\
    command = \"echo start >> witness-{{ n }}; until [ -e go ]; do sleep 0.05; done\"\n[schedule]\nparallel = 2\n";

const ACTING: [(&str, &[&str]); 6] = [
    ("recover", &[]),
    ("requeue", &["--all"]),
    ("pause", &["--all"]),
    ("kill", &["--all"]),
    ("stop", &["--now"]),
    ("set", &["--parallel", "3"]),
];

fn witnesses(place: &Place) -> Vec<String> {
    (1..=4).filter_map(|n| place.read(&format!("witness-{n}"))).collect()
}

fn change_record(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut record: Value = serde_json::from_slice(&fs::read(path).expect("a record")).expect("JSON");
    change(&mut record);
    fs::write(path, record.to_string()).expect("it is mine");
}

/// Makes the supervisor of a run one of another machine, which has not been heard of for long.
pub(crate) fn put_elsewhere(run: &Run<'_>) {
    let record = run.dir.join("supervisor.json");
    change_record(&record, |record| record["pid_namespace"] = 1.into());
    let long_ago = fs::FileTimes::new().set_modified(std::time::SystemTime::UNIX_EPOCH);
    fs::File::open(&record).and_then(|file| file.set_times(long_ago)).expect("it is mine");
}

fn started(place: &Place) -> Run<'_> {
    let run = place.start(FOUR);
    until("two shards run", || witnesses(place).len() == 2);
    run
}

fn expect_refused(ended: &Ended, word: &str) {
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert!(ended.stderr.contains(word), "{ended:?}");
}

fn supervisors(run: &Run<'_>) -> Vec<u32> {
    with_command(&format!("supervise {}", run.word()))
}

#[test]
fn a_copied_run_is_shown_and_never_executed() {
    let place = Place::new();
    let run = started(&place);
    let copy = Run { place: &place, dir: place.path().join("copy") };
    let copied = Command::new("cp").arg("-a").args([&run.dir, &copy.dir]).status();
    assert!(copied.is_ok_and(|status| status.success()));
    // First beside the living original, then after everything has died.
    for _ in 0..2 {
        let status = copy.status();
        assert_eq!(status["run"]["state"], "unsupervised", "{status}");
        assert!(status["run"]["place"].as_str().is_some_and(|place| place.contains("copy")), "{status}");
        for (verb, words) in ACTING.into_iter().chain([("wait", &[][..])]) {
            expect_refused(&copy.sweepdeck(verb, words), "is a copy of");
        }
        copy.does("report", &[]);
        copy.does("attach", &["--once"]);
        assert_eq!(supervisors(&copy), [0; 0]);
        assert_ne!(place.sweepdeck(&["supervise", copy.word()]).code, Some(0));
        processes::end_all_of(&run.dir);
    }
    assert_eq!(witnesses(&place), ["start\n", "start\n"]);
    place.write("go", "");
    run.wait();
    let starts: usize = witnesses(&place).iter().map(|text| text.lines().count()).sum();
    assert_eq!(run.count("succeeded"), 4, "{}", run.status());
    assert_eq!(starts, 6, "the original lost two attempts and ran four");
}

#[test]
fn a_machine_that_was_renamed_keeps_its_runs() {
    let place = Place::new();
    let run = started(&place);
    processes::end_all_of(place.path());
    until("no supervisor lives", || run.supervisor().is_none());
    change_record(&run.dir.join("run.json"), |record| record["host"] = "its-old-name".into());
    run.does("recover", &[]);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
}

#[test]
fn a_moved_run_goes_on_in_its_new_place() {
    let place = Place::new();
    let run = started(&place);
    processes::end_all_of(&run.dir);
    place.write("go", "");
    let moved = Run { place: &place, dir: place.path().join("moved") };
    fs::rename(&run.dir, &moved.dir).expect("it is mine");
    assert_eq!(moved.wait(), Some(0), "{}", moved.status());
}

#[test]
fn a_run_of_another_container_is_watched_and_left_alone() {
    let place = Place::new();
    let run = started(&place);
    let before = supervisors(&run);
    let record = run.dir.join("supervisor.json");
    change_record(&record, |record| record["pid_namespace"] = 1.into());
    let status = run.status();
    assert_eq!(status["run"]["state"], "running", "{status}");
    assert!(status["run"]["place"].as_str().is_some_and(|place| place.contains("container")), "{status}");
    for (verb, words) in ACTING {
        expect_refused(&run.sweepdeck(verb, words), "container");
    }
    let taken = run.sweepdeck("recover", &["--take-over"]);
    expect_refused(&taken, "at work");
    let frame = run.does("attach", &["--once"]);
    assert!(!frame.stdout.contains("UNSUPERVISED"), "{}", frame.stdout);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert!(supervisors(&run).iter().all(|pid| before.contains(pid)), "another supervisor was started");
    assert_eq!(witnesses(&place), ["start\n"; 4]);
}

#[test]
fn a_dead_run_of_another_container_is_taken_over_on_request_only() {
    let place = Place::new();
    let run = started(&place);
    processes::end_all_of(place.path());
    put_elsewhere(&run);
    assert_eq!(run.status()["run"]["state"], "unsupervised");
    expect_refused(&run.sweepdeck("recover", &[]), "--take-over");
    expect_refused(&run.sweepdeck("wait", &[]), "--take-over");
    assert_eq!(supervisors(&run), [0; 0]);
    place.write("go", "");
    let taken = run.does("recover", &["--take-over"]);
    let said = taken.stderr.split_once("the run was on ").and_then(|(_, said)| said.split_once(", this is "));
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").expect("the boot of this machine");
    assert!(
        said.is_some_and(|(there, here)| {
            there.contains("processes of container 1")
                && [there, here].iter().all(|one| one.contains(&boot[..8]))
        }),
        "both machines are named: {taken:?}"
    );
    assert_eq!(run.wait(), Some(0), "{}", run.status());
}

#[test]
fn a_run_goes_on_after_a_reboot() {
    let place = Place::new();
    let run = started(&place);
    processes::end_all_of(place.path());
    for record in ["run.json", "supervisor.json"] {
        change_record(&run.dir.join(record), |record| record["boot_id"] = "another boot".into());
    }
    place.write("go", "");
    run.does("recover", &[]);
    assert_eq!(run.wait(), Some(0), "{}", run.status());
}

#[test]
#[ignore = "needs root: makes a namespace of processes"]
fn a_run_in_a_namespace_of_its_own_is_left_alone_from_outside() {
    let place = Place::new();
    place.write("sweep.toml", FOUR);
    let inside = format!("'{PROGRAM}' run sweep.toml --detach --out r >/dev/null && exec sleep 600");
    let mut container = Command::new("unshare")
        .args(["--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c", &inside])
        .current_dir(place.path())
        .env("XDG_STATE_HOME", place.path().join("state"))
        .spawn()
        .expect("a namespace");
    until("two shards run", || witnesses(&place).len() == 2);
    let run = Run { place: &place, dir: place.path().join("r") };
    let before = supervisors(&run);
    assert_eq!(run.status()["run"]["state"], "running");
    for (verb, words) in ACTING {
        expect_refused(&run.sweepdeck(verb, words), "container");
    }
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert!(supervisors(&run).iter().all(|pid| before.contains(pid)), "another supervisor was started");
    assert_eq!(witnesses(&place), ["start\n"; 4]);
    container.kill().expect("it is mine");
    container.wait().expect("it is mine");
}
