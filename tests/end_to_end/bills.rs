//! What a shard cost, where nobody was there to see it end.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::place::Place;
use crate::harness::processes;
use crate::harness::wait::until;

/// Two days, in seconds.
const WEEKEND: i64 = 172_800;

const SWEEP: &str = r#"
name = "bills"
[shard]
id = "only"
command = "echo start >> witness; [ -e go ] || exec sleep 600"
[resources]
gpus = 1
"#;

/// Gives the records of a run the boot id of another boot, as after a power cut.
fn reboot(run: &Path) {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").expect("a boot");
    for record in ["run.json", "supervisor.json", "journal.jsonl", "shards/only/attempt-01/started.json"] {
        let mut text = fs::read_to_string(run.join(record)).expect("a record");
        if record == "journal.jsonl" {
            // Lines of an earlier version: a checksum would not fit any more.
            let unsealed = |line: &str| line.split(",\"seq\":").next().map(|line| format!("{line}}}\n"));
            text = text.lines().filter_map(unsealed).collect();
        }
        fs::write(run.join(record), text.replace(boot.trim(), "another-boot")).expect("it is mine");
    }
}

#[test]
fn a_lost_attempt_is_billed_to_its_last_sign_of_life() {
    let mut place = Place::with_gpus("gpu 0\n");
    let clock = place.with_clock();
    let run = place.start(SWEEP);
    // The file is there a moment before its line is.
    until("the shard runs", || place.read("witness").as_deref() == Some("start\n"));
    processes::end_all_of(place.path());
    reboot(&run.dir);
    clock.is_ahead_by(WEEKEND);
    place.write("go", "");
    run.does("recover", &[]);
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    let journal = fs::read_to_string(run.dir.join("journal.jsonl")).expect("a journal");
    let facts: Vec<Value> = journal.lines().map(|line| serde_json::from_str(line).expect("a fact")).collect();
    let ended: Vec<&Value> = facts.iter().filter(|fact| fact["fact"] == "attempt-ended").collect();
    assert_eq!(ended.len(), 2, "{ended:?}");
    let elapsed = ended[0]["outcome"]["elapsed"].as_f64().expect("how long it ran");
    assert!((0.0..600.0).contains(&elapsed), "{elapsed} of {WEEKEND} s: {}", ended[0]);
    let summary = run.dir.join("results/summary.json");
    let summary: Value = serde_json::from_slice(&fs::read(summary).expect("a summary")).expect("JSON");
    let cost = &summary["shards"][0]["cost"];
    assert!(cost["attempt_seconds"].as_f64().is_some_and(|seconds| seconds < 600.0), "{cost}");
    assert!(cost["gpu_hours"].as_f64().is_some_and(|hours| hours < 600.0 / 3600.0), "{cost}");
}
