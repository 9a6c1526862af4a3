//! Links, pipes, devices and files without end in a run: none is followed, waited for or read into memory.

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::Path;

use rustix::fs::{CWD, Mode, mkfifoat};
use rustix::process::Signal;

use crate::harness::place::Place;
use crate::harness::processes;
use crate::harness::wait::until;

const VICTIM: &str = "first\nlast without newline";

/// Two shards at work until a file `go` appears.
fn sweep(place: &Place) -> String {
    let go = place.path().join("go");
    format!(
        "name = \"l\"\n[matrix]\nn = [1, 2]\n[shard]\ncommand = \"echo {{{{ n }}}}; until [ -e {} ]; do sleep 0.05; done\"\n",
        go.display()
    )
}

fn make_pipe(path: &Path) {
    mkfifoat(CWD, path, Mode::from_raw_mode(0o600)).expect("a pipe");
}

#[test]
fn a_link_in_place_of_telemetry_is_set_aside_and_its_target_left_alone() {
    let place = Place::new();
    let run = place.start(&sweep(&place));
    run.until_phase("1", "running");
    run.until_phase("2", "running");
    let victim = place.write("victim", VICTIM);
    let metrics = run.dir.join("telemetry/shard_metrics.csv");
    // Its keeper starts another supervisor, which opens the files again.
    let first = run.supervisor().expect("a supervisor");
    fs::rename(&metrics, run.dir.join("telemetry/earlier.csv")).expect("a file of ours");
    symlink(&victim, &metrics).expect("a link");
    processes::signal(first, Signal::KILL);
    until("another supervisor", || run.supervisor().is_some_and(|pid| pid != first));
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    assert_eq!(fs::read_to_string(&victim).expect("the victim"), VICTIM);
    let journal = place.read("r/journal.jsonl").expect("a journal");
    assert!(
        journal.contains("telemetry/shard_metrics.csv: it or a folder on the way to it is a symbolic link")
    );
    assert!(!fs::symlink_metadata(&metrics).expect("a new file").is_symlink());
}

#[test]
fn a_link_in_place_of_results_gets_nothing() {
    let place = Place::new();
    place.write("go", "");
    let (ended, run) = place.run_headless(&sweep(&place));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let elsewhere = place.path().join("elsewhere");
    fs::rename(run.dir.join("results"), &elsewhere).expect("a folder of ours");
    fs::remove_file(elsewhere.join("combined_results.csv")).expect("a result");
    symlink(&elsewhere, run.dir.join("results")).expect("a link");
    let refused = run.sweepdeck("report", &[]);
    assert_eq!(refused.code, Some(5), "{refused:?}");
    assert!(refused.stderr.contains("symbolic link"), "{refused:?}");
    assert!(!elsewhere.join("combined_results.csv").exists());
}

#[test]
fn a_pipe_or_a_device_in_place_of_a_file_is_refused_at_once_by_every_verb() {
    let place = Place::new();
    let run = place.start(&sweep(&place));
    run.until_phase("1", "running");
    processes::end_all_of(&run.dir);
    for name in ["plan.json", "journal.jsonl", "run.json"] {
        let (path, kept) = (run.dir.join(name), place.path().join("kept"));
        fs::rename(&path, &kept).expect("a file of ours");
        for make in [make_pipe, |path: &Path| symlink("/dev/zero", path).expect("a link")] {
            make(&path);
            for words in [
                ["status", run.word()].as_slice(),
                &["attach", run.word(), "--once"],
                &["report", run.word()],
                &["recover", run.word()],
                &["kill", run.word(), "--all"],
                &["wait", run.word()],
                &["compare", run.word(), run.word()],
            ] {
                // What holds for ever here would hold the test, too.
                let ended = place.sweepdeck(words);
                assert_eq!(ended.code, Some(5), "{name}, {words:?}: {ended:?}");
                assert!(ended.stderr.contains(&format!("/r/{name}: it ")), "{name}, {words:?}: {ended:?}");
            }
            let found = fs::symlink_metadata(&path).expect("what was put there").file_type();
            assert!(found.is_fifo() || found.is_symlink(), "{name} was replaced");
            fs::remove_file(&path).expect("what was put there");
        }
        fs::rename(&kept, &path).expect("a file of ours");
    }
}

#[test]
fn a_log_that_is_no_file_is_refused() {
    let place = Place::new();
    place.write("go", "");
    let (_, run) = place.run_headless(&sweep(&place));
    let log = run.dir.join("shards/1/attempt-01/output.log");
    fs::remove_file(&log).expect("a log");
    make_pipe(&log);
    let refused = run.sweepdeck("logs", &["1"]);
    assert_eq!(refused.code, Some(5), "{refused:?}");
    assert!(refused.stderr.contains("output.log: it is a named pipe and not a file"), "{refused:?}");
}

#[test]
fn artifacts_that_never_end_hold_up_no_attempt() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        "name = \"l\"\n[matrix]\nn = [1]\n[shard]\n\
         command = \"mkfifo {{ out }}/a.json; ln -s /dev/zero {{ out }}/b.json; echo '{}' > data; ln -s $PWD/data {{ out }}/c.json\"\n\
         [results]\nfile = \"{{ out }}/*.json\"\n",
    );
    assert!(ended.code.is_some_and(|code| code < 2), "{ended:?}");
    let journal = place.read("r/journal.jsonl").expect("a journal");
    assert!(journal.contains("a.json was not read: it is a named pipe"), "{journal}");
    assert!(journal.contains("b.json was not read: it is a device"), "{journal}");
    assert!(!journal.contains("c.json was not read"), "a link that the program made is followed: {journal}");
    assert_eq!(run.status()["run"]["state"], "finished");
}
