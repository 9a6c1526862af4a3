//! `explain`: what a key means, from the command line.

use serde_json::Value;

use crate::harness::place::Place;

#[test]
fn a_key_is_explained_by_its_name_or_its_path() {
    let place = Place::new();
    let told = place.sweepdeck(&["explain", "parallel"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    for part in [
        "schedule.parallel: a key of sweep files",
        "integer, at least 1, or \"auto\"",
        "[schedule]\n    parallel = 8",
    ] {
        assert!(told.stdout.contains(part), "{part} is not in {}", told.stdout);
    }
    let told = place.sweepdeck(&["explain", "{{ shard.index }}", "--json"]);
    let document: Value = serde_json::from_str(&told.stdout).expect("JSON");
    assert_eq!(
        (document["version"].as_u64(), document["keys"][0]["key"].as_str()),
        (Some(1), Some("shard.index"))
    );
    let all = place.sweepdeck(&["explain"]);
    assert!(all.stdout.contains("matrix.AXIS.watch.until") && all.stdout.contains("notify.alarm"), "{all:?}");
}

#[test]
fn a_key_that_is_not_there_is_answered_with_the_nearest() {
    let told = Place::new().sweepdeck(&["explain", "paralel"]);
    assert_eq!(told.code, Some(2), "{told:?}");
    assert!(told.stderr.contains("did you mean `schedule.parallel`?"), "{told:?}");
}

#[test]
fn the_schema_is_the_committed_one() {
    let told = Place::new().sweepdeck(&["explain", "--schema", "sweep"]);
    assert_eq!(told.stdout, include_str!("../../docs/schemas/sweep.json"));
}
