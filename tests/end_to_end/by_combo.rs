//! Resources that differ by combo: what each shard is promised, given and told.

use std::fs;

use serde_json::Value;

use crate::harness::place::Place;

const GIB: u64 = 1 << 30;

/// The facts of that kind, as they are in the journal.
fn facts(journal: &str, kind: &str) -> Vec<Value> {
    let facts = journal.lines().map(|line| serde_json::from_str(line).expect("a line of the journal"));
    facts.filter(|fact: &Value| fact["fact"] == kind).collect()
}

#[test]
fn cards_of_different_sizes_take_combos_of_different_needs() {
    let place = Place::with_gpus("gpu 0\n total 40 GiB\ngpu 1\n total 8 GiB\n");
    let (ended, run) = place.run_headless(
        "[matrix]\nenv = ['a', 'b', 'kitchen', 'c']\n[shard]\ncommand = 'echo {{ env }}'\n\
         [resources]\nvram = \"{{ 30 if env == 'kitchen' else 2 }} GiB\"\n[schedule]\nparallel = 4\n",
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let journal = fs::read_to_string(run.dir.join("journal.jsonl")).expect("a journal");
    let starts = facts(&journal, "attempt-starting");
    assert_eq!(starts.len(), 4);
    for start in starts {
        let is_large = start["shard"] == "kitchen";
        let promised = start["claim"]["vram"][0].as_u64();
        assert_eq!(promised, Some(if is_large { 30 * GIB } else { 2 * GIB }), "{start}");
        assert!(!is_large || start["gpus"][0] == 0, "only one card is large enough: {start}");
    }
}

#[test]
fn the_number_of_gpus_is_an_axis() {
    let cards: String = (0..4).map(|gpu| format!("gpu {gpu}\n total 24 GiB\n")).collect();
    let place = Place::with_gpus(&cards);
    let (ended, run) = place.run_headless(
        "[matrix]\nn_gpus = [1, 2, 4]\n[shard]\nid = 'on{{ n_gpus }}'\n\
         command = 'echo [{{ gpus }}] threads=$OMP_NUM_THREADS'\n\
         [resources]\ngpus = '{{ n_gpus }}'\ncpus = '{{ n_gpus }}'\nexclusive = '{{ n_gpus > 1 }}'\n",
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let journal = fs::read_to_string(run.dir.join("journal.jsonl")).expect("a journal");
    for start in facts(&journal, "attempt-starting") {
        let wanted = start["shard"].as_str().and_then(|id| id.strip_prefix("on")?.parse().ok());
        assert_eq!(start["gpus"].as_array().map(Vec::len), wanted, "{start}");
    }
    assert!(run.log("on4", 1).contains("[0,1,2,3]"), "{}", run.log("on4", 1));
}

#[test]
fn a_time_out_holds_for_its_combo_only() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        "[matrix]\nwork = ['short', 'long']\n[shard]\ncommand = 'until [ -e never-{{ work }} ]; do sleep 0.05; \
         [ {{ work }} = long ] && exit 0; done'\n\
         [schedule]\ntimeout = \"{{ '1s' if work == 'short' else '1h' }}\"\n[schedule.grace]\ninterrupt = '1s'\n",
    );
    assert_ne!(ended.code, Some(0), "{ended:?}");
    assert_eq!(run.shard("short")["reason"], "timeout", "{}", run.status());
    assert_eq!(run.shard("long")["phase"], "succeeded", "{}", run.status());
}

#[test]
fn check_shows_what_each_combo_needs_and_refuses_what_is_no_value() {
    let place = Place::new();
    let sweep = |vram: &str| {
        format!("[matrix]\nn = [1, 2]\n[shard]\ncommand = 'echo {{{{ n }}}}'\n[resources]\nvram = '{vram}'\n")
    };
    place.write("good.toml", &sweep("{{ n * 3 }} GiB"));
    let ended = place.sweepdeck(&["check", "good.toml"]);
    assert!(ended.stdout.contains("  1  VRAM 3.0 GiB  echo 1\n"), "{ended:?}");
    assert!(ended.stdout.contains("  2  VRAM 6.0 GiB  echo 2\n"), "{ended:?}");
    let ended = place.sweepdeck(&["check", "good.toml", "--json"]);
    let document: Value = serde_json::from_str(&ended.stdout).expect("a document");
    assert_eq!(document["shards"][1]["needs"]["vram"]["fixed"], 6 * GIB);
    place.write("bad.toml", &sweep("{{ n }} apples"));
    let ended = place.sweepdeck(&["check", "bad.toml"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("`vram` for n=1 comes to `1 apples`, not a size"), "{ended:?}");
}
