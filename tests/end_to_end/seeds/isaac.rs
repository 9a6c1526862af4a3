//! Eight evaluations of a quadruped beside a training, and the report at the end.

use std::fs;

use super::{put_sweep, run_sweep};
use crate::harness::place::Place;

/// A card of 96 GiB of which a training holds 39.
const H100: &str = "gpu 0\n total 96 GiB\n compute 4194303 39 GiB\n";

const QUICK: (&str, &str) = ("stagger = \"5s\"", "stagger = \"0s\"");

#[test]
fn eight_combos_run_side_by_side_and_the_reporter_follows_in_their_environment() {
    let place = Place::with_gpus(H100);
    put_sweep(&place, "isaac_4env.toml", &[QUICK]);
    let (ended, _) = run_sweep(&place, "isaac_4env.toml", &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let table = place.read("r/results/combined_results.csv").expect("results");
    assert_eq!(table.lines().filter(|row| row.contains(",succeeded,")).count(), 8, "{table}");
    let episodes = place.read("r/results/stairs_rough/stairs_rough_episodes.jsonl").expect("a merged file");
    assert_eq!(episodes.lines().count(), 100);
    let page = place.read("r/results/comparison.txt").expect("what the reporter wrote");
    assert_eq!(page.lines().filter(|line| line.contains("of 100 episodes complete")).count(), 8, "{page}");
}

#[test]
fn an_environment_that_was_not_activated_is_told_and_holds_the_rest() {
    let place = Place::with_gpus(H100);
    let unready = ("  \"conda activate env_isaaclab\",\n", "");
    put_sweep(&place, "isaac_4env.toml", &[QUICK, unready, ("parallel = 8", "parallel = 2")]);
    let (ended, run) = run_sweep(&place, "isaac_4env.toml", &[]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let journal = fs::read_to_string(run.dir.join("journal.jsonl")).expect("a journal");
    let held = journal.lines().find(|line| line.contains("\"run-held\"")).expect("the rest is held");
    assert!(held.contains("Unable to find any Python executable"), "{held}");
}

#[test]
fn a_setup_step_that_is_missing_is_named() {
    let place = Place::with_gpus(H100);
    let without = ("  \"source ~/miniconda3/etc/profile.d/conda.sh\",\n", "");
    put_sweep(&place, "isaac_4env.toml", &[QUICK, without]);
    let (ended, run) = run_sweep(&place, "isaac_4env.toml", &["--only", "env=grass,policy=flat"]);
    assert_ne!(ended.code, Some(0), "{ended:?}");
    let told = run.shard("grass_flat");
    assert_eq!(told["reason"], "launch-error", "{told}");
    let message = told["message"].as_str().expect("why");
    assert!(message.contains("setup step 1") && message.contains("conda: command not found"), "{message}");
}
