//! Slices of LeRobot's evaluations become the file of one process.

use serde_json::Value;

use super::{put_sweep, run_sweep};
use crate::harness::place::Place;

const CARD: &str = "gpu 0\n total 80 GiB\n";

fn document(place: &Place, path: &str) -> Value {
    let text = place.read(path).unwrap_or_else(|| panic!("there is no {path}"));
    serde_json::from_str(&text).expect("a document")
}

#[test]
fn four_slices_are_the_serial_run() {
    let merged = |shards: &str| {
        let place = Place::with_gpus(CARD);
        put_sweep(
            &place,
            "lerobot_pusht.toml",
            &[("shards = 4 ", &format!("shards = {shards} ")), ("total  = 200", "total  = 103")],
        );
        let (ended, _) = run_sweep(&place, "lerobot_pusht.toml", &[]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        document(&place, "r/results/eval_info.json")
    };
    let (serial, sliced) = (merged("1"), merged("4"));
    assert_eq!(serial["overall"]["n_episodes"], 103);
    assert_eq!(sliced, serial);
}

#[test]
fn tasks_of_libero_come_together_by_suite() {
    let place = Place::with_gpus(CARD);
    put_sweep(&place, "lerobot_libero.toml", &[("cpus = 2", "cpus = 1")]);
    let (ended, run) = run_sweep(&place, "lerobot_libero.toml", &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(run.count("succeeded"), 10);
    for suite in ["libero_spatial", "libero_object"] {
        let combo = format!("r/results/{suite}/eval_info.json");
        let merged = document(&place, &combo);
        let tasks: Vec<u64> = merged["per_task"]
            .as_array()
            .expect("tasks")
            .iter()
            .map(|task| task["task_id"].as_u64().expect("a number"))
            .collect();
        assert_eq!(tasks, (0..10).collect::<Vec<u64>>());
        assert_eq!(merged["overall"]["n_episodes"], 200);
    }
}
