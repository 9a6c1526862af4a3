//! Pause, resume, kill, requeue, stop, recover and the number of slots.

use std::fs;

use crate::harness::place::Place;
use crate::harness::processes::state;
use crate::harness::wait::{until, until_some};

/// Shards that wait for a file named after them; the number of slots is the first word.
fn gated(parallel: u32, ids: &str) -> String {
    format!(
        "name = \"gated\"\n[matrix]\nn = [{ids}]\n[shard]\n\
         command = \"echo start >> witness-{{{{ n }}}}; until [ -e go-{{{{ n }}}} ]; do sleep 0.05; done; \
         [ ! -e fail-{{{{ n }}}} ]\"\n\
         [schedule]\nparallel = {parallel}\ngrace = {{ interrupt = \"300ms\", terminate = \"300ms\" }}\n"
    )
}

#[test]
fn a_paused_shard_stands_still_until_it_is_resumed() {
    let place = Place::new();
    let run = place.start(&gated(1, "1"));
    run.until_phase("1", "running");
    let pid = until_some("the shard has a pid", || run.shard("1")["pid"].as_u64());
    let pid = u32::try_from(pid).expect("a pid");
    run.does("pause", &["1"]);
    run.until_phase("1", "paused");
    until("its process is stopped", || state(pid) == Some('T'));
    run.does("resume", &["1"]);
    run.until_phase("1", "running");
    until("its process goes on", || state(pid) != Some('T'));
    place.write("go-1", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn kill_ends_running_shards_and_takes_queued_ones_out() {
    let place = Place::new();
    let run = place.start(&gated(1, "1, 2, 3"));
    run.until_phase("1", "running");
    run.does("kill", &["1", "3"]);
    run.until_phase("2", "running");
    place.write("go-2", "");
    assert_eq!(run.wait(), Some(1));
    assert_eq!(run.shard("1")["reason"], "killed");
    assert_eq!(run.shard("2")["phase"], "succeeded");
    assert_eq!(run.shard("3")["phase"], "cancelled");
    assert_eq!(place.read("witness-3"), None, "it never started");
}

#[test]
fn a_paused_shard_can_be_killed() {
    let place = Place::new();
    let run = place.start(&gated(1, "1"));
    run.until_phase("1", "running");
    run.does("pause", &["--all"]);
    run.until_phase("1", "paused");
    run.does("kill", &["--all"]);
    assert_eq!(run.wait(), Some(1));
    assert_eq!(run.shard("1")["reason"], "killed");
}

#[test]
fn failed_shards_are_requeued_even_after_the_run_has_ended() {
    let place = Place::new();
    for name in ["go-1", "go-2", "fail-1"] {
        place.write(name, "");
    }
    let run = place.start(&gated(2, "1, 2"));
    assert_eq!(run.wait(), Some(1));
    fs::remove_file(place.path().join("fail-1")).expect("it is there");
    run.does("requeue", &["--failed"]);
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(run.shard("1")["attempt"], 2);
    assert_eq!(run.shard("2")["attempt"], 1, "what has succeeded is not run again");
}

#[test]
fn a_stop_drains_and_recover_goes_on() {
    let place = Place::new();
    let run = place.start(&gated(1, "1, 2"));
    run.until_phase("1", "running");
    run.does("stop", &[]);
    place.write("go-1", "");
    assert_eq!(run.wait(), Some(1));
    assert_eq!(run.status()["run"]["state"], "stopped");
    assert_eq!(run.shard("1")["phase"], "succeeded");
    assert_eq!(run.shard("2")["phase"], "queued");
    assert!(run.shard("2")["waiting"].as_str().is_some_and(|why| !why.is_empty()));
    place.write("go-2", "");
    run.does("recover", &[]);
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(place.read("witness-1").as_deref(), Some("start\n"), "what was done is not done again");
}

#[test]
fn a_stop_now_ends_everything_and_recover_runs_it_again() {
    let place = Place::new();
    let run = place.start(&gated(2, "1, 2, 3"));
    until("two run", || run.count("running") == 2);
    run.does("stop", &["--now"]);
    assert_eq!(run.wait(), Some(1));
    assert_eq!(run.count("cancelled"), 2, "{}", run.status());
    for name in ["go-1", "go-2", "go-3"] {
        place.write(name, "");
    }
    run.does("recover", &[]);
    assert_eq!(run.wait(), Some(0), "{}", run.status());
}

#[test]
fn never_more_shards_run_side_by_side_than_there_are_slots() {
    let place = Place::new();
    place.write(
        "sweep.toml",
        "name = \"slots\"\n[matrix]\nn = [1, 2, 3, 4, 5, 6]\n[shard]\n\
         command = \"touch in-{{ n }}; ls | grep -c ^in- >> seen; sleep 0.1; rm in-{{ n }}\"\n",
    );
    let ended = place.sweepdeck(&["run", "sweep.toml", "--headless", "--parallel", "2", "--out", "r"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let seen = place.read("seen").expect("shards looked around");
    assert_eq!(seen.lines().count(), 6);
    assert!(seen.lines().all(|line| line.trim().parse::<u32>().is_ok_and(|count| count <= 2)), "{seen}");
}

#[test]
fn a_queued_shard_says_why_it_waits() {
    let place = Place::new();
    let run = place.start(&gated(1, "1, 2"));
    run.until_phase("1", "running");
    assert_eq!(run.shard("2")["waiting"], "the only slot is taken");
    run.does("stop", &["--now"]);
    assert_eq!(run.wait(), Some(1));
}
