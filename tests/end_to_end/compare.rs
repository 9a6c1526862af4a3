//! Runs held against one another: the same sweep twice, one that is at work, and one that is another sweep.

use std::fs;

use serde_json::Value;

use crate::harness::place::Place;
use crate::harness::wait::until;

const SWEEP: &str = "name = \"c\"\n[matrix]\npolicy = [\"flat\", \"rough\"]\n[shard]\ncommand = \"\"\"\n\
    [ {{ policy }} = flat ] || [ -e good ] || { echo no checkpoint >&2; exit 7; }\n\
    echo 'Episode 1/2'; echo 'Episode 2/2'\"\"\"\n";

fn run(place: &Place, name: &str, sweep: &str) -> Option<i32> {
    place.write("sweep.toml", sweep);
    place.sweepdeck(&["run", "sweep.toml", "--headless", "--out", name]).code
}

#[test]
fn what_was_fixed_between_two_runs_is_told() {
    let place = Place::new();
    assert_eq!(run(&place, "r", SWEEP), Some(1));
    place.write("good", "");
    assert_eq!(run(&place, "s", SWEEP), Some(0));
    let compared = place.sweepdeck(&["compare", "r", "s", "--html", "page.html"]);
    assert_eq!(compared.code, Some(0), "{compared:?}");
    assert!(compared.stdout.contains("failed in A, fixed in B:\n  rough: rough, exit-code"), "{compared:?}");
    assert!(place.read("page.html").expect("a page").contains("Failed in A, fixed in B"));
    let back = place.sweepdeck(&["compare", "s", "r", "--json"]);
    let document: Value = serde_json::from_str(&back.stdout).expect("JSON");
    assert_eq!(document["combos"][1]["changes"][0]["turn"], "broken", "{document}");
}

#[test]
fn another_sweep_is_refused_with_what_differs_and_compared_when_that_is_wanted() {
    let place = Place::new();
    place.write("good", "");
    assert_eq!(run(&place, "r", SWEEP), Some(0));
    let other = SWEEP.replace("\"rough\"]", "\"slope\"]").replace("Episode 2/2", "Episode 2/2 done");
    assert_eq!(run(&place, "s", &other), Some(0));
    let refused = place.sweepdeck(&["compare", "r", "s"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    for told in [
        "not runs of the same sweep",
        "only A has rough",
        "only B has slope",
        "the command differs",
        "--anyway",
    ] {
        assert!(refused.stderr.contains(told), "{told}: {refused:?}");
    }
    let compared = place.sweepdeck(&["compare", "r", "s", "--anyway"]);
    assert_eq!(compared.code, Some(0), "{compared:?}");
    assert!(compared.stdout.contains("not the same sweep: the command differs"), "{compared:?}");
    assert!(compared.stdout.contains("2 combos"), "those that only one has: {compared:?}");
    assert_eq!(place.sweepdeck(&["compare", "r", "nowhere"]).code, Some(4));
}

#[test]
fn runs_at_work_and_runs_without_telemetry_are_compared_as_they_are() {
    let place = Place::new();
    let sweep = "name = \"w\"\n[matrix]\nn = [1, 2]\n[shard]\ncommand = \"echo Episode 1/1; [ {{ n }} = 1 ] || [ -e go ] || sleep 600\"\n\
        [schedule]\nparallel = 2\n";
    let working = place.start(sweep);
    working.until_phase("1", "succeeded");
    until("the second runs", || working.log("2", 1).contains("Episode"));
    place.write("go", "");
    assert_eq!(run(&place, "s", sweep), Some(0));
    fs::remove_dir_all(place.path().join("s/telemetry")).expect("its telemetry");
    let compared = place.sweepdeck(&["compare", "s", "r"]);
    assert_eq!(compared.code, Some(0), "{compared:?}");
    assert!(compared.stdout.contains("running (provisional), 1 of 2 shards succeeded"), "{compared:?}");
    assert!(compared.stdout.contains("1 of 1 shards missing"), "{compared:?}");
}
