//! Runs inside a Slurm job, beside a `squeue` that says how long the job lasts.

use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command};

use rustix::process::Signal;

use crate::harness::place::{Ended, Place};
use crate::harness::processes;
use crate::harness::wait::until;

/// Two shards that take an hour by the sweep, and end when they may.
const SWEEP: &str = "name = 'cluster'\n[matrix]\nn = [1, 2]\n[shard]\nid = 'n{{ n }}'\nexpected = '1h'\n\
    command = 'until [ -e go ]; do sleep 0.05; done'\n[schedule]\nparallel = 1\n";

/// The program in a job that ends as the file `left` says.
fn in_job(place: &Place, job: &str, words: &[&str]) -> Command {
    let script = format!("#!/bin/sh\nexec cat {}\n", place.path().join("left").display());
    let squeue = place.write("bin/squeue", &script);
    std::fs::set_permissions(&squeue, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = place.command(words);
    command.env("SLURM_JOB_ID", job);
    command.env("PATH", format!("{}:{path}", place.path().join("bin").display()));
    command
}

#[test]
fn what_a_job_would_cut_off_does_not_start_and_the_next_job_goes_on() {
    let place = Place::new();
    place.write("sweep.toml", SWEEP);
    place.write("left", "30:00\n");
    let ended = Ended::of(&mut in_job(&place, "17", &["run", "sweep.toml", "--headless", "--out", "r"]));
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("job 17 ends too soon for what waits"), "{ended:?}");
    let run = place.run("r");
    let status = run.status();
    assert_eq!((status["run"]["state"].as_str(), run.count("queued")), (Some("stopped"), 2), "{status}");
    assert_eq!(status["run"]["allocation"]["job"], "17");
    assert!(!place.path().join("r/shards/n1").exists(), "nothing was tried");
    until("the first job is left", || run.supervisor().is_none());
    // The next job has a day, and the shards know of it.
    place.write("left", "1-00:00:00\n");
    let recovered = Ended::of(&mut in_job(&place, "18", &["recover", "r"]));
    assert_eq!(recovered.code, Some(0), "{recovered:?}");
    run.until_phase("n1", "running");
    until("it lives in the other job", || run.status()["run"]["allocation"]["job"] == "18");
    assert!(run.does("attach", &["--once"]).stdout.contains("job 18 ends in 23h"));
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn a_controller_that_does_not_answer_holds_nothing_up() {
    let place = Place::new();
    place.write("sweep.toml", SWEEP);
    place.write("left", "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n");
    let mut command = in_job(&place, "17", &["run", "sweep.toml", "--detach", "--out", "r"]);
    assert_eq!(Ended::of(&mut command).code, Some(0));
    let run = place.run("r");
    run.until_phase("n1", "running");
    assert!(run.status()["run"]["allocation"]["ends"].is_null());
    until("the log says why", || {
        place.read("r/supervisor.log").is_some_and(|log| log.contains("does not say how long job 17 lasts"))
    });
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn a_shard_that_the_job_ends_is_not_to_blame() {
    let place = Place::new();
    place.write("sweep.toml", SWEEP);
    place.write("left", "UNLIMITED\n");
    let started = Ended::of(&mut in_job(&place, "17", &["run", "sweep.toml", "--detach", "--out", "r"]));
    assert_eq!(started.code, Some(0), "{started:?}");
    let run = place.run("r");
    run.until_phase("n1", "running");
    let record: serde_json::Value =
        serde_json::from_str(&place.read("r/shards/n1/attempt-01/started.json").expect("it runs"))
            .expect("JSON");
    let pid = record["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()).expect("a pid");
    processes::signal(pid, Signal::TERM);
    until("it runs again", || place.path().join("r/shards/n1/attempt-02/started.json").exists());
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    let journal = place.read("r/journal.jsonl").expect("the journal");
    assert!(journal.contains("as job 17 ends its processes"), "{journal}");
}

/// Sends a signal to a run in the foreground whose first shard runs; gives the client.
fn signalled(place: &Place, mut command: Command, signal: Signal) -> Child {
    place.write("sweep.toml", SWEEP);
    place.write("left", "UNLIMITED\n");
    let client = command.spawn().expect("it starts");
    until("the first runs", || place.path().join("r/shards/n1/attempt-01/started.json").exists());
    processes::signal(client.id(), signal);
    client
}

const FOREGROUND: [&str; 5] = ["run", "sweep.toml", "--headless", "--out", "r"];

#[test]
fn the_signals_that_announce_the_end_of_a_job_drain_the_run() {
    for signal in [Signal::USR1, Signal::TERM] {
        let place = Place::new();
        let mut client = signalled(&place, in_job(&place, "17", &FOREGROUND), signal);
        until("it drains", || {
            place.read("r/journal.jsonl").is_some_and(|journal| journal.contains("stop-requested"))
        });
        place.write("go", "");
        client.wait().expect("it ends");
        let run = place.run("r");
        assert_eq!((run.count("succeeded"), run.count("queued")), (1, 1), "{signal:?}");
    }
}

#[test]
fn outside_of_a_job_a_client_that_is_ended_leaves_its_run_going() {
    let place = Place::new();
    let mut client = signalled(&place, place.command(&FOREGROUND), Signal::TERM);
    client.wait().expect("it ends");
    place.write("go", "");
    let run = place.run("r");
    assert_eq!((run.wait(), run.count("succeeded")), (Some(0), 2));
}
