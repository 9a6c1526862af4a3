//! Log formats of the user's own: `formats/NAME.toml` beside the settings.

use std::fs;
use std::path::Path;

use crate::harness::place::Place;

const FILE: &str = "config/sweepdeck/formats/grasping.toml";

/// The worked example of the documentation: the file, and what `scan` prints.
fn documented() -> (String, String) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/formats.md");
    let page = fs::read_to_string(page).expect("the page");
    let section = page.split("## A format file of your own").nth(1).expect("its section");
    let block = |begin: &str| {
        let (_, block) = section.split_once(begin).expect("a block");
        block.split("\n```").next().expect("its text").to_owned() + "\n"
    };
    (block("```toml\n"), block("$ sweepdeck scan run.log --preset grasping\n"))
}

fn sweep(command: &str) -> String {
    format!("[shard]\nid = \"only\"\ncommand = {command:?}\n[progress]\npreset = \"grasping\"\n")
}

#[test]
fn the_example_of_the_documentation_reads_a_log() {
    let place = Place::new();
    let (file, shown) = documented();
    place.write(FILE, &file);
    place.write("run.log", "Planned grasps: 3\nGrasp 1: held\nheld so far: 1 (100.0 %)\nGrasp 2: dropped\n");
    let scanned = place.sweepdeck(&["scan", "run.log", "--preset", "grasping"]);
    assert_eq!(scanned.code, Some(0), "{scanned:?}");
    let without_age = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split(", written").next().expect("a part").to_owned()).collect()
    };
    assert_eq!(without_age(&scanned.stdout), without_age(&shown));
}

#[test]
fn a_run_keeps_the_format_when_its_file_is_gone() {
    let place = Place::new();
    place.write(FILE, &documented().0);
    let run = place.start(&sweep(
        "echo 'Planned grasps: 2'; until [ -e go ]; do sleep 0.05; done; echo 'Grasp 1: held'; echo 'Grasp 2: held'",
    ));
    fs::remove_dir_all(place.path().join("config")).expect("it was written");
    run.until_phase("only", "running");
    let supervisor = run.supervisor().expect("it runs").to_string();
    assert!(
        std::process::Command::new("kill").args(["-9", &supervisor]).status().expect("kill runs").success()
    );
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    let shard = run.shard("only");
    assert_eq!(shard["progress"], serde_json::json!({"done": 2, "total": 2}), "{shard}");
    let plan = place.read("r/plan.json").expect("a plan");
    assert!(plan.contains("\"unit\":\"grasps\"") || plan.contains("\"unit\": \"grasps\""), "{plan}");
}

#[test]
fn what_is_suggested_can_be_pasted_and_joins_the_metrics_of_the_sweep() {
    let place = Place::new();
    let log: String = (1..=9).map(|n| format!("Rollout #{n} ended after 0.5 s\nreward: 3.5\n")).collect();
    place.write("run.log", &log);
    let suggested = place.sweepdeck(&["scan", "run.log", "--suggest"]).stdout;
    let metric = "[[metric]]\nname = \"reward\"\npattern = 'reward: (?<value>\\S+)'\nreduce = \"sum\"\n";
    place.write(FILE, &format!("unit = \"rollouts\"\n{suggested}{metric}"));
    let scanned = place.sweepdeck(&["scan", "run.log", "--preset", "grasping"]).stdout;
    assert!(scanned.contains("9 rollouts") && scanned.contains("reward = 31.5"), "{scanned}");
    let (ended, run) = place.run_headless(&sweep("cat run.log"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(run.shard("only")["metrics"]["reward"], 31.5);
}

#[test]
fn mistakes_are_answered_with_file_and_line() {
    let place = Place::new();
    let log = place.write("run.log", "Grasp 1: held\n");
    place.write("sweep.toml", &sweep("true"));
    let check = |told: &[&str]| {
        let words = ["scan", log.to_str().expect("a plain path"), "--preset", "grasping"];
        for ended in [place.sweepdeck(&["check", "sweep.toml"]), place.sweepdeck(&words)] {
            assert_eq!(ended.code, Some(2), "{ended:?}");
            told.iter().for_each(|told| assert!(ended.stderr.contains(told), "{told}: {}", ended.stderr));
        }
    };
    check(&["there is no preset `grasping`"]);
    place.write("config/sweepdeck/formats/graspings.toml", "[[done]]\neach = \"Grasp \"\n");
    check(&["there is no preset `grasping`", "did you mean `graspings`?"]);
    place.write(FILE, "[[done]]\nbefor = \"Grasp \"\n");
    check(&["the format `grasping` cannot be used", "formats/grasping.toml: line 2: unknown field `befor`"]);
    place.write(FILE, "[[done]]\nbefore = \"Grasp \"\n[[example]]\nlog = \"Grasp 2\"\nprogress = \"3\"\n");
    check(&["grasping.toml: line 3: this example says progress 3, but the format reads 2"]);
    place.write("config/sweepdeck/formats/openpi.toml", "[[done]]\neach = \"x\"\n");
    let taken = place.sweepdeck(&["scan", "run.log", "--preset", "openpi"]);
    assert!(taken.stderr.contains("`openpi` is a preset of the program: rename this file"), "{taken:?}");
}
