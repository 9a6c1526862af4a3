//! The MuJoCo sweep with real physics.

use std::fs;
use std::path::Path;

use crate::harness::place::Place;

/// Run with `SWEEPDECK_PYTHON` naming a Python that has gymnasium[mujoco].
#[test]
#[ignore = "needs python with gymnasium[mujoco]"]
fn the_mujoco_sweep_measures_eight_combos() {
    let place = Place::new();
    let sweep = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/mujoco.toml");
    let sweep = sweep.to_str().expect("a plain name");
    let ended = place.sweepdeck(&["run", sweep, "--headless", "--out", "r"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let csv = place.read("r/results/combined_results.csv").expect("results");
    assert_eq!(csv.lines().count(), 9, "{csv}");
    assert!(csv.lines().skip(1).all(|row| row.contains("succeeded")), "{csv}");
    // Both policies meet the same starts: 100 of each robot.
    let summary = place.read("r/results/summary.json").expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    let policies: Vec<&serde_json::Value> = summary["differences"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|told| told["axis"] == "policy")
        .collect();
    assert_eq!(policies.len(), 1, "{policies:?}");
    let design = &policies[0]["design"];
    assert_eq!(
        (&design["kind"], &design["pairs"], &design["left_out"]),
        (&"paired".into(), &400.into(), &0.into()),
        "{design}"
    );
    let of = |name: &str| design[name].as_u64().expect("a count");
    assert_eq!(of("both") + of("first_only") + of("second_only") + of("neither"), 400, "{design}");
}

/// Run with `SWEEPDECK_PYTHON` naming a Python that has gymnasium[mujoco].
#[test]
#[ignore = "needs python with gymnasium[mujoco]"]
fn four_shards_of_a_combo_are_the_serial_run_episode_by_episode() {
    let place = Place::new();
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let sweep = fs::read_to_string(configs.join("mujoco.toml")).expect("the sweep");
    let replaced = |sweep: &str, what: &str, with: &str| {
        assert!(sweep.contains(what), "{what}");
        sweep.replace(what, with)
    };
    let cwd = format!("cwd = {:?}", configs.join("mujoco"));
    let sweep = replaced(&sweep, "cwd       = \"mujoco\"", &cwd);
    let sweep = replaced(&sweep, "[\"Ant-v5\", \"HalfCheetah-v5\", ", "[");
    let serial = replaced(&sweep, "--episodes 100", "--episodes 22");
    let sliced =
        replaced(&sweep, "--episodes 100", "--episodes {{ shard.episodes }} --first {{ shard.first }}");
    place.write("sliced.toml", &(sliced + "\n[episodes]\ntotal = 22\nshards = 4\n"));
    place.write("serial.toml", &serial);
    for (sweep, shards) in [("serial", 4), ("sliced", 16)] {
        let ended = place.sweepdeck(&["run", &format!("{sweep}.toml"), "--headless", "--out", sweep]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let csv = place.read(&format!("{sweep}/results/combined_results.csv")).expect("results");
        assert_eq!(csv.lines().count(), 1 + shards, "{csv}");
    }
    for combo in ["Hopper-v5_feedback", "Hopper-v5_random", "Walker2d-v5_feedback", "Walker2d-v5_random"] {
        let file =
            |run: &str| place.read(&format!("{run}/results/{combo}/episodes.jsonl")).expect("a merged file");
        assert_eq!(file("serial").lines().count(), 22, "{combo}");
        assert_eq!(file("sliced"), file("serial"), "{combo}");
    }
}
