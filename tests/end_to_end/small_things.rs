//! What a person meets on the way: no sweep named, a pause between shards, a setup step that fails.

use crate::harness::place::Place;
use crate::harness::wait::until;

const SWEEP: &str = "[shard]\ncommand = 'echo hello'\n";

#[test]
fn the_one_sweep_of_a_folder_needs_no_name() {
    let place = Place::new();
    let ended = place.sweepdeck(&["check"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("no sweep file here"), "{ended:?}");
    place.write("configs/other.toml", SWEEP);
    place.write("eval.toml", SWEEP);
    place.write("pyproject.toml", "[project]\nname = 'x'\n");
    let ended = place.sweepdeck(&["run", "--headless"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    place.write("second.toml", SWEEP);
    let ended = place.sweepdeck(&["run", "--headless"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("2 sweep files are here:\n  eval.toml\n  second.toml"), "{ended:?}");
}

#[test]
fn shards_that_wait_for_a_cool_down_say_so() {
    let place = Place::new();
    let run = place.start(
        "[matrix]\nn = [1, 2]\n[shard]\nid = 'n{{ n }}'\ncommand = 'echo {{ n }}'\n\
         [schedule]\nparallel = 1\ncooldown = '1h'\n",
    );
    until("the first has ended", || run.count("succeeded") == 1);
    until("the second says why it waits", || {
        let waiting = run.shard("n2")["waiting"].as_str().unwrap_or_default().to_owned();
        waiting.starts_with("cooling down, ") && waiting.ends_with(" left")
    });
    run.does("kill", &["--all"]);
}

#[test]
fn a_setup_step_that_fails_is_told_with_its_last_line() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        "[shard]\nid = 'one'\nsetup = ['true', 'no-such-conda activate env_isaaclab']\ncommand = 'echo hello'\n",
    );
    assert_ne!(ended.code, Some(0), "{ended:?}");
    let shard = run.shard("one");
    assert_eq!(
        shard["message"], "setup step 2 failed: no-such-conda: command not found (exit code 127)",
        "{shard}"
    );
}
