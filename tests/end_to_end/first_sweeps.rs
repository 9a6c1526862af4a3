//! `init` and `help`: a first sweep that can be checked, and topics.

use std::fs;

use crate::harness::place::Place;

#[test]
fn a_first_sweep_passes_the_check_and_is_never_overwritten() {
    let place = Place::new();
    let ended = place.sweepdeck(&["init", "--preset", "rsl-rl"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(place.sweepdeck(&["check", "sweep.toml"]).code, Some(0));
    let text = fs::read_to_string(place.path().join("sweep.toml")).expect("the sweep");
    assert!(text.contains("preset = \"rsl-rl\""), "{text}");
    let again = place.sweepdeck(&["init"]);
    assert_eq!(again.code, Some(2), "{again:?}");
    assert!(again.stderr.contains("sweep.toml is there already"), "{again:?}");
    assert_eq!(fs::read_to_string(place.path().join("sweep.toml")).expect("the sweep"), text);
}

#[test]
fn a_script_with_loops_runs_as_a_sweep() {
    let place = Place::new();
    place.write(
        "run_all.sh",
        "#!/bin/bash\nfor policy in flat rough; do\n  for seed in $(seq 0 1); do\n\
         \x20   screen -dmS ${policy}_$seed bash -c \"echo $policy-$seed > logs/$seed.log 2>&1\"\n  done\ndone\n",
    );
    let ended = place.sweepdeck(&["init", "all.toml", "--from-script", "run_all.sh"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("line 4: left out `screen`"), "{ended:?}");
    assert!(ended.stderr.contains("4 shards"), "{ended:?}");
    let ended = place.sweepdeck(&["run", "all.toml", "--headless", "--out", "r"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let log = fs::read_to_string(place.path().join("r/logs/rough_1.log")).expect("a log");
    assert_eq!(log.trim(), "rough-1");
}

#[test]
fn a_log_gives_its_format() {
    let place = Place::new();
    place.write("old.log", "Episode 1/10: success\nEpisode 2/10: failure\nEpisode 3/10: success\n");
    let ended = place.sweepdeck(&["init", "--from-log", "old.log"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(place.sweepdeck(&["check", "sweep.toml"]).code, Some(0));
}

#[test]
fn topics_and_verbs_have_help() {
    let place = Place::new();
    for (topic, part) in [
        ("sweep", "schedule.parallel"),
        ("templates", "shard.index"),
        ("schedule", "on_oom"),
        ("results", "merge"),
        ("settings", "notify.alarm"),
        ("keys", "kill"),
        ("exit-codes", "4  no such run or shard"),
        ("run", "--headless"),
    ] {
        let ended = place.sweepdeck(&["help", topic]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.stdout.contains(part), "{topic}: {}", ended.stdout);
    }
    assert!(place.sweepdeck(&["help"]).stdout.contains("exit-codes"));
    let ended = place.sweepdeck(&["help", "templats"]);
    assert!(ended.code == Some(2) && ended.stderr.contains("did you mean `templates`?"), "{ended:?}");
}
