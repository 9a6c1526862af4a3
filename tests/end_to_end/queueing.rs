//! The queue by a user's wish: priorities, requeues that are taken back, and the VRAM that is left free.

use std::fs;

use rustix::process::Signal;

use crate::harness::place::{Place, Run};
use crate::harness::processes::signal;
use crate::harness::wait::{until, until_some};

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
    let refused = run.sweepdeck("priority", &["1", "--set", "1"]);
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
    let refused = run.sweepdeck("undo", &["1"]);
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

const EDITABLE: &str = "name = \"editable\"\n[matrix]\nn = [1, 2]\n[shard]\nid = \"s{{ n }}\"\nsecret = [\"TOKEN\"]\n\
    command = \"echo n={{ n }} level=$LEVEL; echo {{ n }}-$LEVEL > {{ out }}/r; [ $LEVEL = high ]\"\n\
    env = { LEVEL = \"low\" }\nartifacts = [\"{{ out }}/r\"]\n[schedule]\nretries = 1\nparallel = 1\n";

#[test]
fn an_edited_requeue_runs_with_its_values_keeps_its_name_and_is_marked_everywhere() {
    let place = Place::new();
    let run = place.start(EDITABLE);
    assert_eq!(run.wait(), Some(1));
    run.does("requeue", &["s1", "--set", "n=7", "--env", "LEVEL=high"]);
    assert_eq!(run.wait(), Some(1));
    let shard = run.shard("s1");
    assert_eq!((&shard["phase"], &shard["attempt"]), (&"succeeded".into(), &3.into()), "{shard}");
    assert_eq!(shard["vars"]["n"], 1, "its place in the matrix is that of the sweep");
    assert_eq!(shard["edited"]["variables"][0]["old"], 1);
    assert_eq!(shard["edited"]["variables"][0]["new"], 7);
    assert_eq!(run.shard("s2")["edited"], serde_json::Value::Null);
    assert!(run.log("s1", 3).contains("n=7 level=high"), "{}", run.log("s1", 3));
    assert!(run.log("s1", 1).contains("n=1 level=low"), "earlier attempts are kept");
    let edit = "n: 1 → 7, $LEVEL: low → high";
    let report = run.does("report", &[]);
    assert!(report.stdout.contains(&format!("edited {edit}")), "{report:?}");
    assert!(report.stdout.contains("warning: 1 shard ran with edited values"), "{report:?}");
    let csv = place.read("r/results/combined_results.csv").expect("a table");
    assert!(
        csv.lines().next().is_some_and(|head| head.trim_end_matches(",node").ends_with(",edited")),
        "{csv}"
    );
    assert!(csv.lines().any(|line| line.starts_with("s1,1,succeeded") && line.contains(edit)), "{csv}");
    let html = place.read("r/results/report.html").expect("a page");
    assert!(html.contains("edited: n: 1 → 7"), "{html}");
    // Without an edit it is the sweep as given again, and a table of it has the columns of the contract.
    run.does("requeue", &["s1"]);
    assert_eq!(run.wait(), Some(1));
    assert!(run.log("s1", 4).contains("n=1 level=low"), "{}", run.log("s1", 4));
    let csv = place.read("r/results/combined_results.csv").expect("a table");
    assert!(!csv.contains("edited"), "{csv}");
}

#[test]
fn an_edit_outlives_its_supervisor_and_holds_for_the_tries_after_it() {
    let place = Place::new();
    let sweep = "name = \"e\"\n[matrix]\nn = [1, 2]\n[shard]\nid = \"s{{ n }}\"\n\
        command = \"echo n={{ n }}; [ {{ n }} = 2 ] && until [ -e go ]; do sleep 0.05; done; false\"\n\
        [schedule]\nretries = 1\nparallel = 1\norder = \"as-listed\"\n";
    let run = place.start(sweep);
    until("the second runs", || {
        run.shard("s2")["phase"] == "running" && run.shard("s1")["phase"] == "failed"
    });
    run.does("requeue", &["s1", "--set", "n=9"]);
    let supervisor = until_some("a supervisor", || run.supervisor());
    signal(supervisor, Signal::KILL);
    place.write("go", "");
    assert_eq!(run.wait(), Some(1));
    for attempt in [3, 4] {
        assert!(run.log("s1", attempt).contains("n=9"), "{}: {}", attempt, run.log("s1", attempt));
    }
}

#[test]
fn what_cannot_be_edited_is_refused_and_secrets_stay_out_of_every_file() {
    let place = Place::new();
    let run = place.start(EDITABLE);
    assert_eq!(run.wait(), Some(1));
    for (words, why) in [
        (&["s1", "--env", "TOKEN=hush-hush"][..], "secret"),
        (&["s1", "--set", "m=1"], "it has `n`"),
        (&["s1", "--set", "n=many"], "is a number"),
        (&["s1", "--set", "n=1"], "nothing is changed"),
        (&["s1", "s2", "--set", "n=3"], "one shard"),
        (&["--failed", "--set", "n=3"], "one shard"),
    ] {
        let refused = run.sweepdeck("requeue", words);
        assert_eq!(refused.code, Some(2), "{words:?}: {refused:?}");
        assert!(refused.stderr.contains(why), "{words:?}: {refused:?}");
    }
    assert!(!journal(&run).contains("hush-hush"));
    assert_eq!(run.shard("s1")["attempt"], 2, "nothing was done");
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
    let refused = run.sweepdeck("set", &[]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
}
