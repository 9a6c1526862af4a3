//! What `SWEEPDECK_LOG` adds to `supervisor.log`, and what is in it without.

use std::fs::OpenOptions;

use rustix::process::Signal;

use crate::harness::place::{Ended, Place};
use crate::harness::processes::signal;
use crate::harness::wait::until;

const SWEEP: &str = "name = \"logged\"\n[shard]\nid = \"only\"\n\
    command = \"touch runs; echo a line of the shard; until [ -e go ]; do sleep 0.1; done\"\n";

fn log(place: &Place) -> String {
    place.read("r/supervisor.log").unwrap_or_default()
}

fn start(place: &Place, filter: Option<&str>) {
    place.write("sweep.toml", SWEEP);
    let mut command = place.command(&["run", "sweep.toml", "--detach", "--out", "r"]);
    command.envs(filter.map(|filter| ("SWEEPDECK_LOG", filter)));
    let started = Ended::of(&mut command);
    assert_eq!(started.code, Some(0), "{started:?}");
    until("it runs", || place.read("runs").is_some());
}

fn end(place: &Place) {
    place.write("go", "");
    assert_eq!(place.run("r").wait(), Some(0));
}

#[test]
fn each_process_of_a_run_logs_what_it_does() {
    let place = Place::new();
    start(&place, Some("debug"));
    until("its start is recorded", || log(&place).contains("fact: AttemptStarted"));
    let supervisor = place.run("r").supervisor().expect("a supervisor");
    signal(supervisor, Signal::KILL);
    until("the keeper says so", || {
        log(&place).contains(&format!("supervisor {supervisor} has ended: Killed"))
    });
    end(&place);
    until("the supervisor leaves", || log(&place).contains("the run needs no supervisor any more"));
    let log = log(&place);
    let attempt = place.path().join("r/shards/only/attempt-01").display().to_string();
    for (head, text) in [
        (format!(" INFO sweepdeck-super[{supervisor}] sweepdeck::supervisor::lifetime::run"), "supervises "),
        (" DEBUG sweepdeck-spawn[".to_owned(), &*format!(" of {attempt}")),
        (" INFO sweepdeck-hold[".to_owned(), &*format!("{attempt} is over: Exited")),
        (" DEBUG sweepdeck-super[".to_owned(), "fact: AttemptStarted"),
        (" DEBUG sweepdeck-super[".to_owned(), "effect: Start"),
    ] {
        let is_there = |line: &str| line.contains(&head) && line.contains(text);
        assert!(log.lines().any(is_there), "{head}: {text}\n{log}");
    }
    assert!(!log.contains("a line of the shard"), "logs of shards are elsewhere");
}

#[test]
fn without_the_variable_only_trouble_is_logged() {
    let place = Place::new();
    start(&place, None);
    end(&place);
    assert_eq!(log(&place), "");
}

#[test]
fn a_filter_that_is_none_is_reported_and_stops_nothing() {
    let place = Place::new();
    start(&place, Some("sweepdeck=loud"));
    end(&place);
    assert!(log(&place).contains("SWEEPDECK_LOG=sweepdeck=loud is not understood"), "{}", log(&place));
}

#[test]
fn a_log_without_room_ends_nobody() {
    let place = Place::new();
    let hold = || place.command(&["hold", "no-such-attempt"]);
    let with_room = hold().output().expect("the program runs");
    assert!(!with_room.stderr.is_empty(), "it has something to log");
    let full = OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let without = hold().stderr(full).status().expect("the program runs");
    assert_eq!(without, with_room.status);
}
