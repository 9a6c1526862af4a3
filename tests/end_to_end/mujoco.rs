//! The MuJoCo sweep with real physics.

use std::path::Path;

use crate::harness::place::Place;

/// Run with `EVALDECK_PYTHON` naming a Python that has gymnasium[mujoco].
#[test]
#[ignore = "needs python with gymnasium[mujoco]"]
fn the_mujoco_sweep_measures_eight_combos() {
    let place = Place::new();
    let sweep = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/mujoco.toml");
    let sweep = sweep.to_str().expect("a plain name");
    let ended = place.evaldeck(&["run", sweep, "--headless", "--out", "r"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let csv = place.read("r/results/combined_results.csv").expect("results");
    assert_eq!(csv.lines().count(), 9, "{csv}");
    assert!(csv.lines().skip(1).all(|row| row.contains("succeeded")), "{csv}");
}
