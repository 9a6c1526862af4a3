//! A run learns from earlier ones of its sweep how long shards take and how much memory, and says from which.

use serde_json::Value;

use crate::harness::place::{Place, Run};
use crate::harness::wait::until;

fn run_to_its_end<'p>(place: &'p Place, sweep: &str, folder: &str) -> Run<'p> {
    place.write("sweep.toml", sweep);
    assert_eq!(place.sweepdeck(&["run", "sweep.toml", "--headless", "--out", folder]).code, Some(0));
    Run { place, dir: place.path().join(folder) }
}

fn record(run: &Run<'_>, name: &str) -> Value {
    let text = std::fs::read_to_string(run.dir.join(name)).expect("the record is there");
    serde_json::from_str(&text).expect("it reads")
}

/// The shards in the order in which they were started.
fn order(run: &Run<'_>) -> Vec<String> {
    let journal = std::fs::read_to_string(run.dir.join("journal.jsonl")).expect("a journal");
    let facts = journal.lines().map(|line| serde_json::from_str::<Value>(line).expect("a fact"));
    let starts = facts.filter(|fact| fact["fact"] == "attempt-starting");
    starts.map(|fact| fact["shard"].as_str().expect("a shard").to_owned()).collect()
}

fn sleepers(command: &str) -> String {
    format!(
        "name = \"sleepers\"\n[matrix]\ns = [0, 1]\n[shard]\nid = \"s{{{{ s }}}}\"\ncommand = \"{command}\"\n\
         [schedule]\nparallel = 1\n"
    )
}

#[test]
fn the_next_run_starts_the_longest_first_and_a_changed_command_is_unknown_again() {
    let place = Place::new();
    let first = run_to_its_end(&place, &sleepers("sleep {{ s }}"), "r1");
    assert_eq!(order(&first), ["s0", "s1"], "as listed, while nothing is known");
    let id = record(&first, "run.json")["id"].as_str().expect("an id").to_owned();
    let check = place.sweepdeck(&["check", "sweep.toml"]).stdout;
    assert!(check.contains(&format!("learned from {id}: 2 durations\n")), "{check}");

    let second = run_to_its_end(&place, &sleepers("sleep {{ s }}"), "r2");
    assert_eq!(order(&second), ["s1", "s0"]);
    let learned = &record(&second, "plan.json")["shards"][1]["learned"]["time"];
    assert_eq!(learned["run"], id.as_str());
    assert!(learned["took_s"].as_f64().is_some_and(|seconds| seconds >= 1.0), "{learned}");

    let third = run_to_its_end(&place, &sleepers("sleep {{ s }};"), "r3");
    assert_eq!(order(&third), ["s0", "s1"]);
}

#[test]
fn a_file_that_is_damaged_is_told_and_learned_anew() {
    let place = Place::new();
    run_to_its_end(&place, &sleepers("sleep {{ s }}"), "r1");
    let state = place.sweepdeck(&["ls", "--json"]);
    assert_eq!(state.code, Some(0));
    let files =
        glob::glob(&format!("{}/**/learned/sleepers.json", place.path().display())).expect("a pattern");
    let file = files.flatten().next().expect("what was learned lies in the state folder");
    std::fs::write(&file, "{").expect("it is written");
    let second = place.sweepdeck(&["run", "sweep.toml", "--headless", "--out", "r2"]);
    assert_eq!(second.code, Some(0));
    assert!(second.stderr.contains("what earlier runs taught is not used: "), "{}", second.stderr);
    let text = std::fs::read_to_string(&file).expect("it is there");
    assert!(text.contains("\"took_s\""), "{text}");
}

#[test]
fn the_next_run_claims_at_once_what_was_measured() {
    let place = Place::with_gpus("gpu 0\n total 50 GiB\n");
    let sweep = "name = \"holders\"\n[matrix]\nn = [1, 2, 3, 4]\n[shard]\nid = \"n{{ n }}\"\ncommand = \"\"\"\n\
                 echo 10 GiB > held/$$\necho Episode 1/1\n\
                 until [ -e go ]; do sleep 0.05; done\"\"\"\n\
                 [resources]\nvram = \"auto\"\n[schedule]\nparallel = 4\n";
    let first = place.start(sweep);
    until("one was measured alone, and then all are", || {
        (1..=4).all(|number| first.shard(&format!("n{number}"))["vram_bytes"] == 10_u64 << 30)
    });
    place.write("go", "");
    assert_eq!(first.wait(), Some(0));
    std::fs::remove_file(place.path().join("go")).expect("it is there");

    place.gpus("gpu 0\n total 40 GiB\n");
    let second = place.start_with(&["run", "sweep.toml", "--detach", "--out", "r2"]);
    let second = Run { place: second.place, dir: place.path().join("r2") };
    // 10 GiB, a tenth more and a little: three of them at once, and none of them measured alone.
    until("three run", || second.count("running") == 3);
    let shards = second.status()["shards"].as_array().expect("shards").clone();
    let reasons: Vec<&str> = shards.iter().filter_map(|shard| shard["waiting"].as_str()).collect();
    assert!(matches!(reasons[..], [one] if one.starts_with("needs 11.1 GiB on one GPU")), "{reasons:?}");
    place.write("go", "");
    assert_eq!(second.wait(), Some(0));
}

#[test]
fn what_has_succeeded_before_is_not_held_by_what_never_did() {
    let place = Place::new();
    let numbers: Vec<String> = (1..=12).map(|number| number.to_string()).collect();
    place.write(
        "sweep.toml",
        &format!(
            "name = \"thirds\"\n[matrix]\nn = [{}]\n[shard]\nid = \"n{{{{ n }}}}\"\n\
             command = \"[ $(( {{{{ n }}}} %% 3 )) != 0 ] || exit 3; sleep 0.5\"\n[schedule]\nparallel = 2\n",
            numbers.join(", ")
        )
        .replace("%%", "%"),
    );
    for folder in ["r1", "r2"] {
        let ended = place.sweepdeck(&["run", "sweep.toml", "--headless", "--out", folder]);
        assert_eq!(ended.code, Some(1), "every third fails: {ended:?}");
        let run = Run { place: &place, dir: place.path().join(folder) };
        assert_eq!(run.count("succeeded"), 8, "{folder}: {ended:?}");
        // Three that fail one after the other while the last success still runs hold the fourth.
        assert!(run.count("failed") >= 3, "{folder}: {ended:?}");
    }
    let second = Run { place: &place, dir: place.path().join("r2") };
    let last = order(&second).split_off(8);
    let has_failed = |id: &String| ["n3", "n6", "n9", "n12"].contains(&id.as_str());
    assert!(last.iter().all(has_failed), "what failed last time keeps nothing waiting: {last:?}");
}
