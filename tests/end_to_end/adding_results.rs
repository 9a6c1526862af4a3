//! Values that were added to a run stand in everything that is made of its results, as those of the start do.

use serde_json::Value;

use crate::harness::place::{Place, Run};
use crate::harness::screen::Screen;
use crate::harness::wait::until;

const SWEEP: &str = r#"
name = "grown"
[matrix]
policy = ["flat", "rough"]
env = ["grass", "mud"]
[episodes]
total = 4
shards = 2
[shard]
command = """
for i in 1 2; do
  echo "Episode $i/2 reward=1.0 success=$((i == 1))"
  echo '{"episode": '$(({{ shard.first }} + i - 1))'}' >> {{ out }}/e.jsonl
done"""
[schedule]
parallel = 4
[results]
merge = "jsonl"
"#;

fn json(place: &Place, file: &str) -> Value {
    serde_json::from_str(&place.read(file).unwrap_or_else(|| panic!("{file} is there"))).expect("JSON")
}

fn grown(place: &Place) -> Run<'_> {
    let (ended, run) = place.run_headless(SWEEP);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    run.does("add", &["policy=teacher"]);
    assert_eq!(run.wait(), Some(0));
    run
}

#[test]
fn what_was_added_is_in_the_table_the_summary_the_reports_and_the_merged_files() {
    let place = Place::new();
    grown(&place);
    let table = place.read("r/results/combined_results.csv").expect("a table");
    let added: Vec<&str> = table.lines().filter(|line| line.contains(",teacher,")).collect();
    assert_eq!((table.lines().count(), added.len()), (13, 4), "{table}");
    let summary = json(&place, "r/results/summary.json");
    assert_eq!(summary["counts"]["succeeded"], 12);
    let policies: Vec<&str> = summary["axes"]["policy"]
        .as_array()
        .expect("values")
        .iter()
        .filter_map(|of| of["value"].as_str())
        .collect();
    assert_eq!(policies, ["flat", "rough", "teacher"], "{summary}");
    let combos = summary["combos"].as_array().expect("combos");
    assert_eq!(combos.len(), 6, "{summary}");
    let merged = json(&place, "r/results/merged.json");
    let files = merged["files"].as_array().expect("files");
    assert!(files.iter().all(|file| file["completeness"] == "whole"), "{merged}");
    let rows = place.read("r/results/teacher_mud/e.jsonl").expect("a merged file");
    assert_eq!((files.len(), rows.lines().count()), (6, 4), "{merged}");
    for file in ["r/results/report.md", "r/results/report.html"] {
        let text = place.read(file).expect("a report");
        assert!(text.matches("teacher").count() >= 4, "{file}: {text}");
    }
}

#[test]
fn an_open_matrix_gets_a_row_for_an_added_value() {
    let place = Place::new();
    let gated = SWEEP.replace("for i in 1 2", "until [ -e go ]; do sleep 0.05; done\nfor i in 1 2");
    let run = place.start(&gated);
    until("the first run", || run.count("running") == 4);
    let mut screen = Screen::open(&place, &["attach", run.word()]);
    screen.press("2");
    screen.until_shown("rough");
    run.does("add", &["policy=teacher"]);
    screen.until_shown("teacher");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    screen.press("q");
}

#[test]
fn a_run_that_grew_is_compared_with_one_that_did_not() {
    let place = Place::new();
    grown(&place);
    place.write("sweep.toml", SWEEP);
    let plain = place.sweepdeck(&["run", "sweep.toml", "--headless", "--out", "s"]);
    assert_eq!(plain.code, Some(0), "{plain:?}");
    for (pair, label) in [(["r", "s"], "A"), (["s", "r"], "B")] {
        let compared = place.sweepdeck(&["compare", pair[0], pair[1]]);
        assert_eq!(compared.code, Some(0), "{compared:?}");
        let note = format!("only {label} has teacher grass, teacher mud, which were added to it");
        assert!(compared.stdout.contains(&note), "{compared:?}");
        assert!(compared.stdout.contains("2 combos"), "{compared:?}");
    }
}
