//! The words of the command line, what they print, and their exit codes.

use std::io::Read;
use std::process::Stdio;

use serde_json::Value;

use crate::harness::place::Place;
use crate::harness::wait::until;

const THREE: &str = "name = \"three\"\n[matrix]\npolicy = [\"flat\", \"rough\", \"bad\"]\n[shard]\n\
    command = \"echo hello from {{ policy }}; [ {{ policy }} != bad ] || [ -e mended ]\"\n";

#[test]
fn usage_absence_and_refusal_have_their_exit_codes() {
    let place = Place::new();
    let code = |words: &[&str]| place.sweepdeck(words).code;
    assert_eq!(code(&["--help"]), Some(0));
    assert_eq!(code(&["no-such-verb"]), Some(2));
    assert_eq!(code(&["run"]), Some(2));
    assert_eq!(code(&["status"]), Some(4), "there is no run yet");
    assert_eq!(code(&["status", "nothing-of-that-name"]), Some(4));
    assert_eq!(code(&["wait", "./no/such/folder"]), Some(4));
    assert_eq!(code(&["check", "absent.toml"]), Some(2));
    let (_, run) = place.run_headless(THREE);
    assert_eq!(run.sweepdeck("kill", &["no-such-shard"]).code, Some(4));
    assert_eq!(run.sweepdeck("logs", &["no-such-shard"]).code, Some(4));
    assert_eq!(run.sweepdeck("kill", &[]).code, Some(2), "neither shards nor --all");
    let mistyped = run.sweepdeck("logs", &["ruogh"]);
    assert!(mistyped.stderr.contains("did you mean `rough`?"), "{mistyped:?}");
}

#[test]
fn all_problems_of_a_sweep_are_told_at_once_with_their_places() {
    let place = Place::new();
    place.write(
        "b.toml",
        "nam = \"x\"\n[matrix]\na = [\"1\"]\n[shard]\ncommand = \"echo {{ b }}\"\n[schedule]\nparalel = 3\n",
    );
    let checked = place.sweepdeck(&["check", "b.toml"]);
    assert_eq!(checked.code, Some(2), "{checked:?}");
    for word in ["b.toml", "nam", "`parallel`", "paralel"] {
        assert!(checked.stderr.contains(word), "{word} in {}", checked.stderr);
    }
    assert_eq!(checked.stdout, "");
}

#[test]
fn a_machine_that_lacks_the_program_and_the_folder_is_refused_before_anything_starts() {
    let place = Place::new();
    place.write(
        "p.toml",
        "name = \"p\"\n[shard]\nid = \"only\"\ncwd = \"nowhere\"\ncommand = [\"no-such-program-xyz\"]\n",
    );
    for words in [vec!["check", "p.toml"], vec!["run", "p.toml", "--headless", "--out", "r"]] {
        let refused = place.sweepdeck(&words);
        assert_eq!(refused.code, Some(3), "{refused:?}");
        assert!(refused.stderr.contains("no-such-program-xyz"), "{refused:?}");
        assert!(refused.stderr.contains("nowhere"), "{refused:?}");
    }
    assert!(!place.path().join("r").exists());
}

#[test]
fn a_run_goes_where_out_says_and_never_into_a_folder_in_use() {
    let place = Place::new();
    let (ended, run) = place.run_headless(THREE);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("flat"), "the table is data: {ended:?}");
    assert!(run.dir.join("run.json").is_file());
    assert!(run.dir.join("results/combined_results.csv").is_file());
    let again = place.sweepdeck(&["run", "sweep.toml", "--headless", "--out", "r"]);
    assert_eq!(again.code, Some(2), "{again:?}");
    let unnamed = place.sweepdeck(&["run", "sweep.toml", "--detach"]);
    let folder = unnamed.stdout.trim_end();
    assert!(folder.contains("/results/three_"), "{unnamed:?}");
    assert_eq!(place.sweepdeck(&["wait", folder]).code, Some(1));
}

#[test]
fn only_some_shards_are_run_when_asked_for() {
    let place = Place::new();
    place.write("sweep.toml", THREE);
    let words = ["run", "sweep.toml", "--headless", "--out", "r", "--only", "policy != \"bad\""];
    let ended = place.sweepdeck(&words);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let status: Value =
        serde_json::from_str(&place.sweepdeck(&["status", "--json"]).stdout).expect("status prints JSON");
    assert_eq!(status["shards"].as_array().map(Vec::len), Some(2));
    let none = place.sweepdeck(&["run", "sweep.toml", "--headless", "--only", "policy=none"]);
    assert_eq!(none.code, Some(2), "{none:?}");
}

#[test]
fn a_rerun_keeps_what_succeeded_and_says_so() {
    let place = Place::new();
    let (_, run) = place.run_headless(THREE);
    place.write("mended", "");
    let words = ["run", "sweep.toml", "--headless", "--out", "again", "--rerun", run.word()];
    let again = place.sweepdeck(&words);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(again.stderr.contains("flat, rough"), "{again:?}");
    let status = place.sweepdeck(&["status", "again", "--json"]).stdout;
    let status: Value = serde_json::from_str(&status).expect("status prints JSON");
    assert_eq!(status["counts"]["succeeded"], 1);
    assert_eq!(status["shards"][0]["id"], "bad");
}

#[test]
fn runs_are_found_by_folder_by_name_and_as_the_newest() {
    let place = Place::new();
    let (_, run) = place.run_headless(THREE);
    for words in [vec!["status"], vec!["status", "three"], vec!["status", "--run", "r"], vec!["status", "r"]]
    {
        let found = place.sweepdeck(&words);
        assert_eq!(found.code, Some(0), "{words:?}: {found:?}");
        assert!(found.stdout.contains("flat"), "{found:?}");
    }
    let listed = place.sweepdeck(&["ls", "--json"]);
    let listed: Value = serde_json::from_str(&listed.stdout).expect("ls prints JSON");
    assert_eq!(listed[0]["name"], "three");
    assert_eq!(listed[0]["state"], "finished");
    assert_eq!(
        listed[0]["dir"],
        run.dir.canonicalize().expect("it is there").to_str().expect("a plain name")
    );
    assert_eq!(place.sweepdeck(&["logs", "flat"]).stdout, "hello from flat\r\n");
}

#[test]
fn home_lists_the_runs_and_the_sweeps() {
    let place = Place::new();
    assert!(place.sweepdeck(&[]).stdout.contains("no runs yet"));
    place.write("configs/more.toml", THREE);
    let (_, _run) = place.run_headless(THREE);
    let home = place.sweepdeck(&[]);
    assert_eq!(home.code, Some(0));
    for word in ["three-", "2/3, 1 failed", "sweep.toml  3 shards", "configs/more.toml"] {
        assert!(home.stdout.contains(word), "{word} in {}", home.stdout);
    }
}

#[test]
fn check_prints_the_plan_and_starts_nothing() {
    let place = Place::new();
    place.write("sweep.toml", THREE);
    let checked = place.sweepdeck(&["check", "sweep.toml"]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    assert!(checked.stdout.contains("three: 3 shards"), "{checked:?}");
    let json: Value = serde_json::from_str(&place.sweepdeck(&["check", "sweep.toml", "--json"]).stdout)
        .expect("check prints JSON");
    assert_eq!(json["shards"][1]["vars"]["policy"], "rough");
    assert!(!place.path().join("results").exists());
}

#[test]
fn report_writes_the_results_again() {
    let place = Place::new();
    let (_, run) = place.run_headless(THREE);
    let csv = run.dir.join("results/combined_results.csv");
    let before = std::fs::read_to_string(&csv).expect("the run has ended");
    assert!(before.starts_with("shard,policy,phase,reason,attempts,seconds,"), "{before}");
    std::fs::remove_file(&csv).expect("it is there");
    let report = run.does("report", &[]);
    assert!(report.stdout.contains("rough"), "{report:?}");
    assert_eq!(std::fs::read_to_string(&csv).ok(), Some(before));
    std::fs::remove_file(&csv).expect("it is there");
    let read = run.does("report", &["--read-only"]);
    assert_eq!(read.stdout, report.stdout);
    assert!(!csv.exists(), "a report that only reads has written");
    let results = run.dir.join("results");
    std::fs::rename(&results, run.dir.join("moved")).expect("the results move");
    std::fs::write(&results, "in the way").expect("a file in their place");
    let refused = run.sweepdeck("report", &[]);
    assert_eq!(refused.code, Some(5), "it could not write: {refused:?}");
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_program_quietly() {
    let place = Place::new();
    let ids: Vec<String> = (0..3000).map(|n| n.to_string()).collect();
    let sweep =
        format!("name = \"many\"\n[matrix]\nn = [{}]\n[shard]\ncommand = [\"true\"]\n", ids.join(","));
    place.write("sweep.toml", &sweep);
    let mut child = place
        .command(&["check", "sweep.toml", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // More than a pipe holds is printed, so the writer is still at work when the reader goes.
    let mut first = [0; 100];
    child.stdout.take().expect("a pipe").read_exact(&mut first).expect("it prints");
    let ended = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert!(!stderr.contains("panicked"), "{stderr}");
    assert_eq!(ended.status.code(), Some(0), "{stderr}");
}

#[test]
fn a_second_interrupt_stops_what_the_first_one_lets_finish() {
    let place = Place::new();
    place.write(
        "sweep.toml",
        "name = \"int\"\n[matrix]\nn = [1, 2]\n[shard]\ncommand = \"touch up; sleep 600\"\n\
         [schedule]\nparallel = 1\ngrace = { interrupt = \"200ms\", terminate = \"200ms\" }\n",
    );
    let mut child = place
        .command(&["run", "sweep.toml", "--headless", "--out", "r"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    until("the first shard runs", || place.path().join("up").exists());
    let interrupt = || crate::harness::processes::signal(child.id(), rustix::process::Signal::INT);
    interrupt();
    let journal = || place.read("r/journal.jsonl").unwrap_or_default();
    until("the run drains", || journal().contains("stop-requested"));
    interrupt();
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    assert!(journal().contains("run-ended"));
}

#[test]
fn a_hang_up_leaves_the_run_running() {
    let place = Place::new();
    place.write(
        "sweep.toml",
        "name = \"hup\"\n[shard]\nid = \"only\"\ncommand = \"touch up; until [ -e go ]; do sleep 0.05; done\"\n",
    );
    let mut child = place
        .command(&["run", "sweep.toml", "--headless", "--out", "r"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    until("the shard runs", || place.path().join("up").exists());
    crate::harness::processes::signal(child.id(), rustix::process::Signal::HUP);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    place.write("go", "");
    assert_eq!(place.sweepdeck(&["wait", "r"]).code, Some(0));
}

#[test]
fn a_folder_used_again_is_listed_once() {
    let place = Place::new();
    let (_, run) = place.run_headless(THREE);
    std::fs::remove_dir_all(&run.dir).expect("its own folder");
    place.run_headless(THREE);
    let listed: Value =
        serde_json::from_str(&place.sweepdeck(&["ls", "--json"]).stdout).expect("ls prints JSON");
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
}
