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

/// Counts of the two policies on the same episodes: both, the second alone, the first alone, neither; and the mean
/// difference of a measure, from the files of the episodes.
fn counted(place: &Place, measure: &str) -> ([u64; 4], f64) {
    let (mut counts, mut differences) = ([0; 4], Vec::new());
    for robot in ROBOTS {
        let episodes = |policy: &str| {
            let file = place.read(&format!("both/results/{robot}_{policy}/episodes.jsonl")).expect("a file");
            let parsed = file.lines().map(|line| serde_json::from_str(line).expect("JSON"));
            parsed.collect::<Vec<serde_json::Value>>()
        };
        for (random, feedback) in episodes("random").iter().zip(&episodes("feedback")) {
            assert_eq!(random["seed"], feedback["seed"], "{random} {feedback}");
            let of = |episode: &serde_json::Value| episode["success"].as_bool().expect("how it ended");
            counts[usize::from(!of(feedback)) + 2 * usize::from(!of(random))] += 1;
            let of = |episode: &serde_json::Value| episode[measure].as_f64().expect("a number");
            differences.push(of(random) - of(feedback));
        }
    }
    (counts, differences.iter().sum::<f64>() / differences.len() as f64)
}

const ROBOTS: [&str; 2] = ["Hopper-v5", "Walker2d-v5"];

/// Run with `SWEEPDECK_PYTHON` naming a Python that has gymnasium[mujoco].
#[test]
#[ignore = "needs python with gymnasium[mujoco]"]
fn two_policies_on_the_same_seeds_are_compared_in_pairs_in_report_and_compare() {
    let place = Place::new();
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let sweep = fs::read_to_string(configs.join("mujoco.toml")).expect("the sweep");
    let replaced = |sweep: &str, what: &str, with: &str| {
        assert!(sweep.contains(what), "{what}");
        sweep.replace(what, with)
    };
    let sweep = replaced(&sweep, "cwd       = \"mujoco\"", &format!("cwd = {:?}", configs.join("mujoco")));
    let sweep = replaced(&sweep, "[\"Ant-v5\", \"HalfCheetah-v5\", ", "[");
    let both = replaced(&sweep, "--episodes 100", "--episodes 24");
    place.write("both.toml", &both);
    // The same as two runs of one policy each.
    for policy in ["feedback", "random"] {
        let alone = replaced(&both, "policy = [\"feedback\", \"random\"]", "");
        let alone = replaced(&alone, "{{ env }}_{{ policy }}", "{{ env }}");
        place.write(&format!("{policy}.toml"), &replaced(&alone, "{{ policy }}", policy));
    }
    for run in ["both", "feedback", "random"] {
        let ended = place.sweepdeck(&["run", &format!("{run}.toml"), "--headless", "--out", run]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    let summary = json(&place.read("both/results/summary.json").expect("a summary"));
    let compared = json(&place.sweepdeck(&["compare", "feedback", "random", "--anyway", "--json"]).stdout);
    let of_runs = &compared["differences"][0];
    let of_policy = |name: &str| {
        let all = summary[name].as_array().expect("a list").iter();
        all.filter(|told| told["axis"] == "policy").cloned().collect::<Vec<_>>()
    };

    let differences = of_policy("differences");
    let [told] = &differences[..] else { panic!("{differences:?}") };
    assert_eq!((&told["first"], &told["second"]), (&"random".into(), &"feedback".into()), "{told}");
    assert_eq!(told["design"], of_runs["design"], "the runs are the policies");
    assert_eq!(told["interval_95"], of_runs["interval_95"]);
    let ([both, first_only, second_only, neither], _) = counted(&place, "reward");
    let sentence = format!(
        "paired by 48 episodes: random only {first_only}, feedback only {second_only}, both {both}, neither {neither}"
    );
    let report =
        ["report.html", "report.md"].map(|name| place.read(&format!("both/results/{name}")).expect(name));
    assert!(report.iter().all(|face| face.contains(&sentence)), "{sentence}: {report:?}");

    let metrics = of_policy("paired_metrics");
    for measure in ["reward", "length", "distance"] {
        let of = |all: &[serde_json::Value]| {
            let found = all.iter().find(|told| told["metric"] == measure);
            found.unwrap_or_else(|| panic!("{measure}: {all:?}")).clone()
        };
        let (told, between) = (of(&metrics), of(of_runs["paired_metrics"].as_array().expect("a list")));
        let (_, difference) = counted(&place, measure);
        for told in [&told, &between] {
            let number =
                |pointer: &str| told.pointer(pointer).and_then(serde_json::Value::as_f64).expect("a number");
            assert_eq!((told["pairs"].as_u64(), told["left_out"].as_u64()), (Some(48), Some(0)), "{told}");
            assert!((number("/difference") - difference).abs() < 1e-9 * difference.abs().max(1.0), "{told}");
            let (low, high) = (number("/interval_95/low"), number("/interval_95/high"));
            assert!(low <= difference && difference <= high, "{told}");
        }
        assert!(report[0].contains(measure) && report[1].contains(measure), "{measure}");
    }
    let text = place.sweepdeck(&["compare", "feedback", "random", "--anyway", "--html", "c.html"]);
    assert_eq!(text.code, Some(0), "{text:?}");
    for face in [text.stdout, place.read("c.html").expect("a page")] {
        assert!(face.contains("paired bootstrap") && face.contains("distance"), "{face}");
    }
}
