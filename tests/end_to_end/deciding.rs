//! A comparison that ends once it is decided: shards that are not needed are not started, whoever dies meanwhile.

use std::fs;

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::place::{Place, Run};
use crate::harness::processes::signal;
use crate::harness::wait::until;

/// So many blocks of two shards.
const BLOCKS: usize = 20;

/// Two policies over so many seeds, ten episodes each; `rough` succeeds as often as `better` says, `flat` in 2 of 10.
fn sweep(better: u32) -> String {
    let seeds: Vec<String> = (0..BLOCKS).map(|seed| seed.to_string()).collect();
    format!(
        r#"
name = "decide"
[matrix]
policy = ["flat", "rough"]
seed = [{}]
[shard]
command = """
echo start >> witness-{{{{ policy }}}}-{{{{ seed }}}}
[ {{{{ seed }}}} -lt 2 ] || until sleep 0.1; [ -e go ]; do :; done
[ {{{{ policy }}}} = rough ] && won={better} || won=2
echo "episodes 10"
echo "successes $won"
"""
[[metric]]
name = "episodes"
pattern = 'episodes (?<value>\d+)'
[[metric]]
name = "successes"
pattern = 'successes (?<value>\d+)'
[schedule]
parallel = 2
[analysis]
stop = {{ compare = "policy" }}
"#,
        seeds.join(", ")
    )
}

fn facts(run: &Run<'_>, kind: &str) -> Vec<Value> {
    let journal = fs::read_to_string(run.dir.join("journal.jsonl")).expect("a journal");
    let facts = journal.lines().map(|line| serde_json::from_str(line).expect("a line of the journal"));
    facts.filter(|fact: &Value| fact["fact"] == kind).collect()
}

fn summary(run: &Run<'_>) -> Value {
    let text = fs::read_to_string(run.dir.join("results/summary.json")).expect("a summary");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn a_decided_comparison_starts_nothing_more_and_says_what_it_saved() {
    let place = Place::new();
    place.write("go", "");
    let (ended, run) = place.run_headless(&sweep(9));
    assert_eq!(ended.code, Some(0), "what is not needed has not failed: {ended:?}");
    assert!(ended.stderr.contains("policy rough beats flat"), "{ended:?}");
    assert!(ended.stdout.contains("shards not started"), "{ended:?}");
    let decided = facts(&run, "comparison-decided");
    assert_eq!(decided.len(), 1, "{decided:?}");
    assert!(decided[0]["e_value"].as_f64().expect("an e-value") >= 40.0, "{decided:?}");
    let started = (0..BLOCKS)
        .flat_map(|seed| ["flat", "rough"].map(|policy| format!("witness-{policy}-{seed}")))
        .filter(|witness| place.path().join(witness).exists())
        .count();
    // A slot goes on while the end of a shard in the other one is on its way.
    assert!((4..=20).contains(&started), "a few blocks are enough: {started}");
    assert_eq!(run.count("cancelled") as usize, 2 * BLOCKS - started, "{}", run.status());

    let summary = summary(&run);
    let sequential = &summary["sequential"];
    assert_eq!(
        (&sequential["pairs"][0]["first"], &sequential["pairs"][0]["end"]),
        (&"rough".into(), &"early".into())
    );
    assert_eq!(sequential["saving"]["shards"].as_u64(), Some((2 * BLOCKS - started) as u64));
    assert_eq!(summary["differences"].as_array().map(Vec::len), Some(0), "no test that one must not look at");
    assert_eq!(summary["provisional"], false, "{summary}");
    let status = run.status();
    assert_eq!(status["run"]["comparison"]["decided"][0]["better"], "rough", "{status}");
    let told = run.does("status", &[]).stdout;
    assert!(told.contains("decided: policy rough beats flat") && told.contains("not needed"), "{told}");
    let report = fs::read_to_string(run.dir.join("results/report.md")).expect("a report");
    assert!(report.contains("## Comparison of policy") && report.contains("shards not started"), "{report}");
    let page = fs::read_to_string(run.dir.join("results/report.html")).expect("a page");
    assert!(page.contains("rough is better, decided early"), "{page}");
    for table in ["sequential.csv", "sequential.tex", "success_by_combo.csv"] {
        assert!(run.dir.join("results/tables").join(table).exists(), "{table}");
    }
}

#[test]
fn a_decision_survives_the_supervisor_and_a_requeue_overrules_it() {
    let place = Place::new();
    let run = place.start(&sweep(9));
    // The first two blocks say enough; the third waits.
    until("it is decided", || facts(&run, "comparison-decided").len() == 1);
    let supervisor = run.supervisor().expect("a supervisor");
    signal(supervisor, Signal::KILL);
    until("another supervisor", || run.supervisor().is_some_and(|pid| pid != supervisor));
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(facts(&run, "comparison-decided").len(), 1, "it is decided once");
    let cancelled = run.count("cancelled");
    assert!(cancelled > 0);
    run.does("requeue", &["rough_19"]);
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(run.shard("rough_19")["phase"], "succeeded", "who asks for it gets it");
    assert_eq!(run.count("cancelled"), cancelled - 1, "{}", run.status());
}

#[test]
fn what_is_alike_runs_to_the_end_of_its_plan() {
    let place = Place::new();
    place.write("go", "");
    let (ended, run) = place.run_headless(&sweep(2));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(run.count("succeeded") as usize, 2 * BLOCKS);
    let pair = &summary(&run)["sequential"]["pairs"][0];
    assert_eq!((&pair["end"], &pair["episodes"]), (&"undecided".into(), &200.into()), "{pair}");
    assert!(pair["p_holm"].as_f64().is_some_and(|p| p > 0.025), "{pair}");
}

#[test]
fn what_cannot_be_compared_is_refused_before_the_start() {
    let place = Place::new();
    place.write("sweep.toml", &sweep(9).replace("compare = \"policy\"", "compare = \"polcy\""));
    let refused = place.sweepdeck(&["check", "sweep.toml"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("did you mean `policy`"), "{refused:?}");
    place.write("sweep.toml", &sweep(9));
    let checked = place.sweepdeck(&["check", "sweep.toml"]);
    let told = "compares 2 values of policy in 20 blocks, decided at e = 40";
    assert!(checked.stdout.contains(told), "{checked:?}");
}
