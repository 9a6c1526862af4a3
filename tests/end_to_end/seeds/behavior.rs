//! Components on one, two, four and eight GPUs.

use std::fs;

use serde_json::{Value, json};

use super::{among_stand_ins, put_sweep};
use crate::harness::place::{Ended, Place, Run};
use crate::harness::screen::Screen;
use crate::harness::wait::until;

const GIB: u64 = 1 << 30;

fn start(place: &Place) -> Run<'_> {
    put_sweep(place, "behavior.toml", &[("retries     = 1", "retries     = 0\nparallel    = 4")]);
    fs::create_dir(place.path().join("gate")).expect("a folder");
    let mut command = among_stand_ins(place, &["run", "behavior.toml", "--detach", "--out", "r"]);
    command.env("STAND_IN_GATE", place.path().join("gate"));
    let ended = Ended::of(&mut command);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    Run { place, dir: place.path().join("r") }
}

/// What a shard holds: GPU, component, GiB.
fn held(run: &Run<'_>, shard: &str) -> Vec<(u64, String, u64)> {
    let parts = run.shard(shard)["vram_parts"].clone();
    let part = |part: &Value| {
        let component = part["component"].as_str().unwrap_or("?").to_owned();
        (part["gpu"].as_u64().expect("a GPU"), component, part["bytes"].as_u64().unwrap_or(0) / GIB)
    };
    parts.as_array().expect("a list").iter().map(part).collect()
}

#[test]
fn each_component_is_where_its_placement_says_and_its_memory_is_seen_there() {
    let cards: String = (0..8).map(|gpu| format!("gpu {gpu}\n total 24 GiB\n")).collect();
    let place = Place::with_gpus(&cards);
    let run = start(&place);
    // One card and two are shared by both components; four and eight have cards for each.
    for (shard, workers, shared) in [("on1", 1, true), ("on2", 2, true), ("on4", 2, false)] {
        let gpus = || run.shard(shard)["gpus"].as_array().cloned().unwrap_or_default();
        until(&format!("{shard} holds all its memory"), || held(&run, shard).len() == 2 * workers);
        let given: Vec<u64> = gpus().iter().filter_map(Value::as_u64).collect();
        let (env, rollout) = if shared { (&given[..], &given[..]) } else { given.split_at(workers) };
        let mut expected: Vec<(u64, String, u64)> = env
            .iter()
            .map(|gpu| (*gpu, "env".to_owned(), 6))
            .chain(rollout.iter().map(|gpu| (*gpu, "rollout".to_owned(), 15)))
            .collect();
        expected.sort();
        assert_eq!(held(&run, shard), expected, "{shard} on {given:?}");
    }
    assert_eq!(run.shard("on8")["phase"], "queued", "seven of eight cards are taken");

    let mut screen = Screen::open(&place, &["attach", run.word()]);
    screen.until("the dashboard", |text| text.contains("on4"));
    screen.press("4");
    screen.until("memory by component", |text| {
        let line = |component: &str| {
            text.lines().any(|line| line.contains("on1") && line.contains(component) && line.contains("GiB"))
        };
        line("env") && line("rollout")
    });
    screen.press("q");

    for shard in ["on1", "on2", "on4", "on8"] {
        place.write(&format!("gate/{shard}"), "");
    }
    assert_eq!(run.wait(), Some(0));
    let log = run.log("on8", 1);
    let placement = log.lines().find(|line| line.contains("component_placement")).expect("a placement");
    assert!(placement.ends_with("; 4 environments"), "{placement}");
    let journal = place.read("r/journal.jsonl").expect("a journal");
    let starting = |line: &&str| line.contains("\"attempt-starting\"") && line.contains("\"on8\"");
    let start: Value = serde_json::from_str(journal.lines().find(starting).expect("a start")).expect("JSON");
    let mut given: Vec<u64> =
        start["gpus"].as_array().expect("GPUs").iter().filter_map(Value::as_u64).collect();
    given.sort_unstable();
    assert_eq!(given, (0..8).collect::<Vec<u64>>(), "each card once");
    let summary: Value =
        serde_json::from_str(&place.read("r/results/summary.json").expect("a summary")).expect("JSON");
    assert_eq!(summary["scaling"][0]["axis"], "n_gpus");
    let points = summary["scaling"][0]["points"].as_array().expect("a curve");
    assert!(points.iter().all(|point| point["episodes_per_h"].is_number()), "{points:?}");
    let videos: Vec<Value> = summary["shards"]
        .as_array()
        .expect("shards")
        .iter()
        .map(|shard| shard["artifacts"]["videos"].clone())
        .collect();
    assert_eq!(videos, [json!(1), json!(2), json!(2), json!(4)], "{summary}");
}
