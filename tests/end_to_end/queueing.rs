//! The queue by a user's wish: priorities, requeues that are taken back, and the VRAM that is left free.

use std::fs;

use crate::harness::place::{Place, Run};
use crate::harness::wait::until;

/// Shards that wait for a file named after them.
fn gated(ids: &str) -> String {
    format!(
        "name = \"gated\"\n[matrix]\nn = [{ids}]\n[shard]\n\
         command = \"echo {{{{ n }}}} >> starts; until [ -e go-{{{{ n }}}} ]; do sleep 0.05; done; \
         [ ! -e fail-{{{{ n }}}} ]\"\n\
         [schedule]\nparallel = 1\norder = \"as-listed\"\n"
    )
}

fn journal(run: &Run<'_>) -> String {
    fs::read_to_string(run.dir.join("journal.jsonl")).expect("every run has a journal")
}

#[test]
fn a_shard_with_a_higher_priority_starts_before_those_listed_before_it() {
    let place = Place::new();
    let run = place.start(&gated("1, 2, 3, 4"));
    run.until_phase("1", "running");
    run.does("priority", &["4", "--set", "2"]);
    run.does("priority", &["2", "--set", "-1"]);
    assert_eq!(run.shard("4")["waiting"], "the only slot is taken; before the others by priority +2");
    assert_eq!(run.shard("2")["waiting"], "the only slot is taken; behind the others by priority -1");
    let refused = run.evaldeck("priority", &["1", "--set", "1"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("1 is running: only queued shards"), "{refused:?}");
    for go in ["go-1", "go-2", "go-3", "go-4"] {
        place.write(go, "");
    }
    assert_eq!(run.wait(), Some(0));
    assert_eq!(place.read("starts").as_deref(), Some("1\n4\n3\n2\n"));
}

#[test]
fn a_requeue_is_taken_back_until_the_new_attempt_has_started() {
    let place = Place::new();
    for name in ["go-1", "fail-1"] {
        place.write(name, "");
    }
    let run = place.start(&gated("1, 2"));
    run.until_phase("1", "failed");
    run.until_phase("2", "running");
    let failed = run.shard("1");
    run.does("requeue", &["1"]);
    assert_eq!(run.shard("1")["phase"], "queued");
    run.does("undo", &["1"]);
    assert_eq!(run.shard("1"), failed, "the shard is what it was");
    run.does("requeue", &["1"]);
    place.write("go-2", "");
    until("the second attempt has ended", || run.shard("1")["attempt"] == 2 && run.count("failed") == 1);
    let refused = run.evaldeck("undo", &["1"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("has not started"), "{refused:?}");
    assert_eq!(run.wait(), Some(1));
    let uid = rustix::process::geteuid().as_raw();
    let undone = journal(&run)
        .lines()
        .filter(|line| line.contains("requeue-undone"))
        .map(str::to_owned)
        .collect::<Vec<_>>();
    assert_eq!(undone.len(), 1);
    assert!(undone[0].contains(&format!("\"uid\":{uid}")), "the journal says by whom: {}", undone[0]);
}

#[test]
fn less_vram_kept_free_lets_a_shard_start_that_waited_for_it() {
    let place = Place::with_gpus("gpu 0\n total 24 GiB\n compute 4194303 2 GiB\n");
    let run = place.start(
        "name = \"reserve\"\n[shard]\nid = \"a\"\ncommand = \"true\"\n\
         [resources]\nvram = \"3 GiB\"\n[schedule]\nreserve_vram = \"20 GiB\"\n",
    );
    until("it waits for memory", || {
        run.shard("a")["waiting"].as_str().is_some_and(|why| why.contains("20.0 GiB of it reserved"))
    });
    run.does("set", &["--reserve-vram", "4 GiB", "--parallel", "3"]);
    assert_eq!(run.wait(), Some(0));
    let journal = journal(&run);
    assert!(journal.contains("\"fact\":\"reserve-changed\",\"vram\":4294967296"), "{journal}");
    assert!(journal.contains("\"fact\":\"parallel-changed\",\"parallel\":3"), "{journal}");
    let refused = run.evaldeck("set", &[]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
}
