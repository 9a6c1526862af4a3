//! Resources that differ by combo: what each shard is promised, given and told.

use std::fs;

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::place::{Place, Run};
use crate::harness::processes;
use crate::harness::wait::until;

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

/// The VRAM in GiB that each attempt was promised, in their order.
fn promised(run: &Run<'_>) -> Vec<u64> {
    let journal = fs::read_to_string(run.dir.join("journal.jsonl")).expect("a journal");
    let starts = facts(&journal, "attempt-starting").into_iter();
    starts.map(|start| start["claim"]["vram"][0].as_u64().expect("a claim") / GIB).collect()
}

/// Kills it once all that is announced has started: an attempt that has not is announced again.
fn replace_supervisor(run: &Run<'_>) {
    let has_started = |shard: &Value| shard["phase"] != "running" || shard["pid"].is_u64();
    until("all of it runs", || {
        run.status()["shards"].as_array().is_some_and(|all| all.iter().all(has_started))
    });
    let supervisor = run.supervisor().expect("a supervisor");
    processes::signal(supervisor, Signal::KILL);
    until("another one has taken over", || run.supervisor().is_some_and(|new| new != supervisor));
}

#[test]
fn an_edit_changes_what_the_next_attempt_needs() {
    let place = Place::with_gpus("gpu 0\n total 40 GiB\n");
    let run = place.start(
        "[matrix]\nnum_envs = [4]\n[shard]\nid = 's'\n\
         command = 'echo {{ num_envs }} threads=$OMP_NUM_THREADS; until [ -e go{{ num_envs }} ]; do sleep 0.05; done; \
         [ {{ num_envs }} = 8 ]'\n[resources]\nvram = '{{ 2 * num_envs }} GiB'\ncpus = '{{ num_envs // 4 }}'\n",
    );
    let refused = run.sweepdeck("requeue", &["s", "--set", "num_envs=0"]);
    assert!(refused.stderr.contains("`cpus` comes to `0`, not an integer"), "{refused:?}");
    place.write("go4", "");
    assert_eq!(run.wait(), Some(1));
    run.does("requeue", &["s", "--set", "num_envs=8"]);
    until("the edited one runs", || run.count("running") == 1);
    replace_supervisor(&run);
    place.write("go8", "");
    assert_eq!(run.wait(), Some(0));
    assert!(run.log("s", 2).contains("8 threads=2"), "{}", run.log("s", 2));
    // Asked for again as it is in the sweep.
    run.does("requeue", &["s"]);
    assert_eq!(run.wait(), Some(1));
    assert_eq!(promised(&run), [8, 16, 8]);
}

#[test]
fn each_step_of_a_ladder_and_each_split_is_promised_what_it_needs_then() {
    let place = Place::with_gpus("gpu 0\n total 40 GiB\n");
    let run = place.start(
        r#"
[matrix]
num_envs = [16]
reward = [0, 1, 2]
[shard]
id = "s"
command = """
if [ {{ num_envs * pack.count }} -gt 16 ]; then echo 'torch.OutOfMemoryError: CUDA out of memory.'; exit 1; fi
until [ -e go ]; do sleep 0.05; done"""
[pack]
axis = "reward"
size = 3
[resources]
vram = "{{ num_envs * pack.count // 2 }} GiB"
[schedule]
parallel = 1
on_oom = [{ set = { num_envs = "half" } }, "split", "fail"]
"#,
    );
    until("a part runs", || run.count("running") == 1 && run.count("queued") == 1);
    replace_supervisor(&run);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    // Three values with 16 environments each, with 8, then two of the values and the last one.
    assert_eq!(promised(&run), [24, 12, 8, 4]);
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
