//! The wall clock is set while a run lasts: nothing ends for it, and every length of time stays true.

use jiff::Timestamp;
use rustix::process::Signal;
use serde_json::Value;

use crate::harness::place::{Place, Run};
use crate::harness::processes;
use crate::harness::wait::{until, until_or};

/// Two hours; every limit of the sweep is shorter.
const STEP: i64 = 7200;

/// A shard that talks and makes progress until it may end.
fn sweep() -> &'static str {
    r#"
name = "clock"
[matrix]
n = [1, 2]
[shard]
id = "n{{ n }}"
command = "i=0; until [ -e go ]; do i=$((i + 1)); echo tick $i; sleep 0.1; done"
[progress]
done = 'tick (?<done>\d+)'
[schedule]
parallel = 2
timeout = "30m"
stall_after = "10m"
on_stall = "fail"
"#
}

fn start(place: &Place) -> Run<'_> {
    let run = place.start(sweep());
    until("both make progress", || {
        ["n1", "n2"].iter().all(|id| run.shard(id)["progress"]["done"].as_u64() > Some(5))
    });
    run
}

fn facts(run: &Run<'_>) -> Vec<Value> {
    let journal = std::fs::read_to_string(run.dir.join("journal.jsonl")).expect("a journal");
    journal.lines().map(|line| serde_json::from_str(line).expect("a fact")).collect()
}

fn moment(fact: &Value) -> Timestamp {
    fact["at"].as_str().and_then(|at| at.parse().ok()).expect("a moment")
}

fn elapsed(run: &Run<'_>, id: &str) -> f64 {
    run.shard(id)["elapsed_s"].as_f64().expect("it runs or has run")
}

/// The step has reached the supervisor and its shards: they go on, and telemetry is not old.
fn until_noticed(run: &Run<'_>, way: &str) {
    until_or(
        "the step is remarked and the machine is read again",
        || {
            let is_said = facts(run).iter().any(|fact| {
                fact["text"]
                    .as_str()
                    .is_some_and(|text| text.starts_with(&format!("the wall clock was set {way} by 2h")))
            });
            let status = run.status();
            is_said && status["host"]["cpu_percent"].is_number()
        },
        || format!("{} {:?}", run.status(), facts(run)),
    );
}

/// The next supervisor reads the same clock, whatever the wall clock says now.
fn replace_supervisor(run: &Run<'_>) {
    let supervisor = run.supervisor().expect("a supervisor");
    processes::signal(supervisor, Signal::KILL);
    until("another one has taken over", || run.supervisor().is_some_and(|new| new != supervisor));
    until("it has adopted both", || {
        facts(run).iter().filter(|fact| fact["fact"] == "attempt-adopted").count() == 2
    });
}

fn ends_well(run: &Run<'_>) {
    run.place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    let facts = facts(run);
    assert!(facts.is_sorted_by_key(moment), "no moment comes before an earlier one: {facts:?}");
    let lasted = moment(&facts[facts.len() - 1]).duration_since(moment(&facts[0]));
    assert!(lasted.as_secs() < 1800, "the run lasted {lasted:#}");
    for fact in facts.iter().filter(|fact| fact["fact"] == "attempt-ended") {
        let elapsed = fact["outcome"]["elapsed"].as_f64().expect("it ran");
        assert!((0.5..1800.0).contains(&elapsed), "{fact}");
    }
}

#[test]
fn a_step_ahead_ends_nothing() {
    let mut place = Place::new();
    let clock = place.with_clock();
    let run = start(&place);
    clock.is_ahead_by(STEP);
    until_noticed(&run, "ahead");
    replace_supervisor(&run);
    assert_eq!(run.count("running"), 2, "{}", run.status());
    assert!(elapsed(&run, "n1") < 1800.0, "{}", run.status());
    assert!(run.status()["run"]["elapsed_s"].as_f64() < Some(1800.0), "{}", run.status());
    ends_well(&run);
}

#[test]
fn a_step_back_takes_no_time_away_and_a_later_supervisor_goes_by_the_same_clock() {
    let mut place = Place::new();
    let clock = place.with_clock();
    let run = start(&place);
    let before = elapsed(&run, "n2");
    clock.is_ahead_by(-STEP);
    until_noticed(&run, "back");
    assert!(elapsed(&run, "n2") >= before, "{}", run.status());
    replace_supervisor(&run);
    assert_eq!(run.count("running"), 2, "{}", run.status());
    assert!(elapsed(&run, "n2") >= before, "{}", run.status());
    ends_well(&run);
}
