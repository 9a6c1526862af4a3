//! A run uses the GPUs that its start inherited and its user chose, and no others, whoever supervises it later.

use rustix::process::Signal;

use crate::harness::place::{Ended, Place, Run};
use crate::harness::processes;
use crate::harness::wait::until;

const MACHINE: &str = "gpu 0\ngpu 1\ngpu 2\ngpu 3\n";

/// Shards that say what they were given and end when they may.
const SWEEP: &str = "[matrix]\nn = [1, 2, 3, 4, 5, 6, 7, 8]\n[shard]\nid = 'n{{ n }}'\ncommand = '''\n\
    echo \"$CUDA_VISIBLE_DEVICES\" >> given; until [ -e go-$SWEEPDECK_SHARD ] || [ -e go-all ]; do sleep 0.05; done'''\n";

fn sweep(resources: &str) -> String {
    format!("{SWEEP}[resources]\n{resources}\n[schedule]\nparallel = 4\n")
}

/// A verb in an environment with that variable.
fn with(place: &Place, variable: (&str, &str), words: &[&str]) -> Ended {
    Ended::of(place.command(words).env(variable.0, variable.1))
}

/// Starts the sweep where that variable restricts it.
fn start<'p>(place: &'p Place, variable: (&str, &str), resources: &str, more: &[&str]) -> Run<'p> {
    place.write("sweep.toml", &sweep(resources));
    let mut words = vec!["run", "sweep.toml", "--detach", "--out", "r"];
    words.extend(more);
    let started = with(place, variable, &words);
    assert_eq!(started.code, Some(0), "{started:?}");
    Run { place, dir: place.path().join("r") }
}

/// The last digits of all GPUs that shards were given, each once.
fn given(place: &Place) -> Vec<String> {
    let given = place.read("given").unwrap_or_default();
    let mut last: Vec<String> =
        given.lines().map(|line| line.rsplit('-').next().unwrap_or("").to_owned()).collect();
    last.sort();
    last.dedup();
    last
}

const CUDA: &str = "CUDA_VISIBLE_DEVICES";

#[test]
fn shards_get_the_gpus_that_the_start_inherited_and_no_others() {
    let place = Place::with_gpus(MACHINE);
    let run = start(&place, (CUDA, "2,3"), "gpus = 1", &[]);
    until("four run", || run.count("running") == 4);
    assert_eq!(given(&place), ["2", "3"]);
    let withheld = |gpu: usize| run.status()["gpus"][gpu]["withheld"].clone();
    until("the others are marked", || withheld(0) == "CUDA_VISIBLE_DEVICES=2,3" && withheld(2).is_null());
    // The next supervisor is started from a shell that inherits something else.
    let supervisor = run.supervisor().expect("it lives");
    processes::signal(supervisor, Signal::KILL);
    until("another one supervises", || run.supervisor().is_some_and(|pid| pid != supervisor));
    place.write("go-all", "");
    assert_eq!(with(&place, (CUDA, "0,1"), &["wait", run.word()]).code, Some(0));
    assert_eq!(given(&place), ["2", "3"]);
    assert_eq!(place.read("given").map(|given| given.lines().count()), Some(8));
}

#[test]
fn a_stopped_run_goes_on_with_the_gpus_of_its_start_also_without_its_kept_environment() {
    let place = Place::with_gpus(MACHINE);
    let run = start(&place, (CUDA, "1"), "gpus = 1", &[]);
    until("four run", || run.count("running") == 4);
    run.does("stop", &["--now"]);
    run.wait();
    until("its supervisor has left", || run.supervisor().is_none());
    std::fs::remove_dir_all(place.path().join("state/sweepdeck/environments")).expect("it was kept");
    place.write("go-all", "");
    assert_eq!(with(&place, (CUDA, "0,3"), &["recover", run.word()]).code, Some(0));
    assert_eq!(run.wait(), Some(0));
    assert_eq!(given(&place), ["1"]);
}

#[test]
fn an_empty_list_permits_no_gpu() {
    let place = Place::with_gpus(MACHINE);
    place.write("sweep.toml", &sweep("gpus = 1"));
    let refused = with(&place, (CUDA, ""), &["run", "sweep.toml", "--headless", "--out", "r"]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.stderr.contains("no GPU may be used: CUDA_VISIBLE_DEVICES="), "{refused:?}");
    // A sweep that says nothing of GPUs runs without one.
    place.write("go-all", "");
    let run = start(&place, (CUDA, "-1"), "", &[]);
    assert_eq!(run.wait(), Some(0));
    assert_eq!(given(&place), ["1"], "shards see what was inherited");
    assert_eq!(run.shard("n1")["gpus"].as_array().map(Vec::len), Some(0));
}

#[test]
fn check_says_what_is_in_force_and_why() {
    let place = Place::with_gpus(MACHINE);
    place.write("sweep.toml", &sweep("gpus = 1\ndevices = [3]"));
    let check = with(&place, (CUDA, "2,3"), &["check", "sweep.toml", "--json"]);
    assert_eq!(check.code, Some(0), "{check:?}");
    let document: serde_json::Value = serde_json::from_str(&check.stdout).expect("JSON");
    assert_eq!(document["gpus"]["used"], serde_json::json!([3]));
    assert_eq!(document["gpus"]["because"], serde_json::json!(["CUDA_VISIBLE_DEVICES=2,3", "devices 3"]));
    assert!(
        check.stderr.contains("note: gpu: GPU 3 of 4 is used (CUDA_VISIBLE_DEVICES=2,3; devices 3)"),
        "{check:?}"
    );
    let cut = with(&place, (CUDA, "3,9,2"), &["check", "sweep.toml"]);
    assert!(
        cut.stderr.contains("warning: gpu: `9` in CUDA_VISIBLE_DEVICES=3,9,2 names no GPU here"),
        "{cut:?}"
    );
}

#[test]
fn a_choice_outside_of_what_was_inherited_is_refused_with_names() {
    let place = Place::with_gpus(MACHINE);
    let why = "GPU 0 may not be used (CUDA_VISIBLE_DEVICES=2,3); GPUs 2, 3 may be used";
    place.write("sweep.toml", &sweep("gpus = 1\ndevices = [0, 3]"));
    for verb in [&["check", "sweep.toml"][..], &["run", "sweep.toml", "--headless", "--out", "r"]] {
        let refused = with(&place, (CUDA, "2,3"), verb);
        assert_eq!(refused.code, Some(3), "{refused:?}");
        assert!(refused.stderr.contains(why), "{refused:?}");
    }
    assert!(!place.path().join("r").exists());
    let slip = place.sweepdeck(&["run", "sweep.toml", "--gpus", "first"]);
    assert_eq!(slip.code, Some(2), "{slip:?}");
    // A flag replaces what the sweep chooses, and does not widen what was inherited.
    let run = start(&place, (CUDA, "2,3"), "gpus = 1\ndevices = [0, 3]", &["--gpus", "2"]);
    until("four run", || run.count("running") == 4);
    assert_eq!(given(&place), ["2"]);
    let refused = run.sweepdeck("set", &["--gpus", "0"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains(why), "{refused:?}");
    place.write("go-all", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn gpus_are_taken_away_and_given_back_while_a_run_lasts() {
    let place = Place::with_gpus(MACHINE);
    let run = start(&place, (CUDA, "1,2,3"), "gpus = 1\ndevices = [1]", &[]);
    until("four run", || run.count("running") == 4);
    assert_eq!(given(&place), ["1"]);
    let set = run.does("set", &["--gpus", "2"]);
    assert!(set.stderr.contains("4 running shards stay on other GPUs until the end"), "{set:?}");
    until("the choice is shown", || run.status()["gpus"][1]["withheld"] == "not chosen for this run");
    for shard in 1..=4 {
        place.write(&format!("go-n{shard}"), "");
    }
    until("the next ones run", || run.count("succeeded") == 4 && run.count("running") == 4);
    assert!((5..=8).all(|shard| run.shard(&format!("n{shard}"))["gpus"][0] == 2), "{}", run.status());
    let journal = place.read("r/journal.jsonl").expect("a journal");
    assert!(journal.contains(r#""fact":"gpus-chosen""#), "{journal}");
    // The choice outlives the supervisor that was asked for it.
    let supervisor = run.supervisor().expect("it lives");
    processes::signal(supervisor, Signal::KILL);
    until("another one supervises", || run.supervisor().is_some_and(|pid| pid != supervisor));
    run.does("requeue", &["n1"]);
    place.write("go-n5", "");
    until("it runs again", || run.shard("n1")["phase"] == "succeeded" && run.shard("n1")["attempt"] == 2);
    assert_eq!(run.shard("n1")["gpus"][0], 2, "{}", run.status());
    run.does("set", &["--gpus", "all"]);
    place.write("go-all", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn a_container_and_its_device_nodes_restrict_too() {
    // No machine has so many: the second card has no node here.
    let place = Place::with_gpus("gpu 0\ngpu 1\n minor 987654\ngpu 2\n");
    place.write("sweep.toml", &sweep("gpus = 1\ndevices = [1]"));
    let refused = place.sweepdeck(&["check", "sweep.toml"]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(
        refused.stderr.contains("GPU 1 may not be used (/dev/nvidia987654 does not exist)"),
        "{refused:?}"
    );
    let run = start(&place, ("NVIDIA_VISIBLE_DEVICES", "1"), "gpus = 1", &[]);
    until("four run", || run.count("running") == 4);
    assert_eq!(given(&place), ["2"], "the second of the cards that can be opened");
    place.write("go-all", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn fewer_gpus_than_a_shard_needs_can_be_chosen_and_the_answer_names_those_that_wait() {
    let place = Place::with_gpus("gpu 0\ngpu 1\n");
    let run = place.start(
        "[matrix]\nn = [1, 2]\n[shard]\nid = 'g{{ n }}'\ncommand = '''\n\
         until [ -e go-$SWEEPDECK_SHARD ] || [ -e go-all ]; do sleep 0.05; done'''\n\
         [resources]\ngpus = '{{ n }}'\nexclusive = true\n[schedule]\nparallel = 2\norder = 'as-listed'\n",
    );
    run.until_phase("g1", "running");
    let set = run.does("set", &["--gpus", "0"]);
    assert!(set.stderr.contains("g2 waits for more GPUs: it needs 2"), "{set:?}");
    place.write("go-g1", "");
    run.until_phase("g1", "succeeded");
    let waiting = || run.shard("g2")["waiting"].as_str().unwrap_or_default().to_owned();
    until("the other one says what it waits for", || {
        waiting() == "needs 2 GPUs, 1 can be used; GPU 1: not chosen for this run"
    });
    assert_eq!(run.status()["run"]["state"], "running", "it waits for the next choice");
    let none = run.sweepdeck("set", &["--gpus", "7"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    run.does("set", &["--gpus", "all"]);
    place.write("go-all", "");
    assert_eq!(run.wait(), Some(0));
}
