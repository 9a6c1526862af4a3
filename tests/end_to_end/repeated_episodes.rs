//! A program that ignores its seed: whatever its command looks like, its results are found to be the same.

use serde_json::Value;

use crate::harness::place::Place;

/// Writes what LeRobot 0.4 writes; `{{ shard.seed }}` is on the command line, and nobody looks at it.
const SWEEP: &str = r#"
name = "deaf"
[matrix]
policy = ["act"]
[shard]
command = '''
echo "seed {{ shard.seed }}" > /dev/null
printf '{"per_task":[{"task_id":0,"metrics":{"sum_rewards":[61.3121,17.0442,98.1173,4.25,7.75],"successes":[true,false,true,false,true]}}],"overall":{"n_episodes":5,"pc_success":60.0,"eval_s":%s}}' "$RANDOM" > {{ out }}/eval_info.json
for i in 1 2 3 4 5; do echo "Episode $i/5 success=$((i % 2))"; done
'''
[episodes]
total = 20
shards = 4
seed = 1000
[resources]
gpus = 0
[progress]
preset = "episode"
"#;

#[test]
fn slices_with_the_same_episodes_are_marked_in_every_face_and_get_no_interval() {
    let place = Place::new();
    place.write("deaf.toml", SWEEP);
    let ended = place.sweepdeck(&["run", "deaf.toml", "--headless", "--out", "r"]);
    assert!(ended.stderr.contains("have the same results, value by value"), "{ended:?}");
    assert!(ended.stdout.contains("12/20 60 %, no interval: episodes are repeated"), "{ended:?}");
    let parsed = |text: String| serde_json::from_str::<Value>(&text).expect("JSON");
    let summary = parsed(place.read("r/results/summary.json").expect("a summary"));
    let totals = &summary["totals"];
    assert_eq!((&totals["repeated_shards"], &totals["wilson_95"]), (&4.into(), &Value::Null), "{totals}");
    let is_told = |warnings: &Value| warnings.to_string().contains("does the program use the slice?");
    assert!(is_told(&summary["warnings"]), "{}", summary["warnings"]);
    let status = parsed(place.sweepdeck(&["status", "r", "--json"]).stdout);
    assert!(is_told(&status["run"]["troubles"]), "{}", status["run"]["troubles"]);
    assert_eq!(status["shards"][0]["repeated"], true);
    let report = place.read("r/results/report.html").expect("a report");
    assert!(report.contains("have the same results, value by value"));
}
