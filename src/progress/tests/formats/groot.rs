//! Logs of GR00T's rollouts, in the words of both versions.

use serde_json::json;

use crate::progress::tests::any_cut::{metrics, summary};

const BEGIN: &str = "Running collecting 3 episodes for gr1_unified/Cup_Env with 2 vec envs\n";

fn end(rate: f64) -> String {
    format!(
        "\rEpisodes: 100%|████| 3/3 [00:12<00:00,  4.1s/it]\nCollecting 3 episodes took 12.4 seconds\n\
         results:  ('gr1_unified/Cup_Env', [True, np.False_, False], {{'valid': [True, True, True]}})\nsuccess rate:  {rate}\n"
    )
}

#[test]
fn the_bar_counts_and_the_list_tells_the_successes() {
    let log = BEGIN.to_owned() + "\rEpisodes:  33%|█   | 1/3 [00:04<00:08,  4.1s/it]\n";
    assert_eq!(summary(&log), ("groot".into(), Some(1), Some(3), "incomplete"));
    let log = log + &end(1.0 / 3.0);
    assert_eq!(summary(&log), ("groot".into(), Some(3), Some(3), "succeeded"));
    assert_eq!(metrics(&log), json!({"episodes": 3.0, "successes": 1.0, "success_rate": 1.0 / 3.0}));
    let second = log.clone() + BEGIN;
    assert_eq!(summary(&second), ("groot".into(), Some(3), Some(6), "incomplete"));
    assert_eq!(metrics(&(second + &end(1.0 / 3.0)))["successes"], 2.0);
}

#[test]
fn a_rounded_share_gives_no_count() {
    let log = |name: &str, rate: &str| {
        format!(
            "Running 10 episodes for {name} with 5 environments\nCollecting 10 episodes took 99.10 seconds\n\
             Results for {name}:\nSuccess rate: {rate}\n"
        )
    };
    let first = log("a/Cup", "0.40");
    assert_eq!(summary(&first), ("groot".into(), Some(10), Some(10), "succeeded"));
    assert_eq!(metrics(&first), json!({"episodes": 10.0, "success_rate": 0.4}));
    assert_eq!(metrics(&(first + &log("a/Pot", "0.50")))["success_rate"], 0.45);
}
