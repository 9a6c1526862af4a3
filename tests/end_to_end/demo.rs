//! The embedded sweep: eight real evaluations, measured results.

use std::collections::BTreeSet;

use crate::harness::place::Place;
use crate::harness::processes;
use crate::harness::wait::until;

#[test]
fn the_demo_runs_eight_evaluations_and_measures_them() {
    let place = Place::new();
    let ended = place.sweepdeck(&["demo", "--headless", "--out", "demo"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let csv = place.read("demo/results/combined_results.csv").expect("results");
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let column = |name: &str| header.iter().position(|column| *column == name).expect("a column");
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 8);
    assert!(
        rows.iter().all(|row| row[column("phase")] == "succeeded" && row[column("episodes")] == "25"),
        "{csv}"
    );
    let rates: BTreeSet<&str> = rows.iter().map(|row| row[column("success_rate")]).collect();
    assert!(rates.len() > 1, "policies differ: {csv}");
    until("nothing of the run is left", || processes::of(&place.path().join("demo")).is_empty());
}
