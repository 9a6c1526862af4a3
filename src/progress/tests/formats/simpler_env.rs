//! Logs of SimplerEnv, which tell each step.

use serde_json::json;

use crate::progress::tests::any_cut::{metrics, summary};

/// Episodes of three steps.
fn episodes(successes: &[bool]) -> String {
    let step = |step: u64, success: bool| {
        let success = if success { "True" } else { "False" };
        format!(
            "{step} {{'elapsed_steps': {}, 'is_grasped': True, 'episode_stats': OrderedDict([('is_grasped', True)]), \
             'success': {success}}}\n",
            step + 1
        )
    };
    let episode =
        |success: &bool| format!("put it there\n{}{}{}", step(0, false), step(1, true), step(2, *success));
    successes.iter().map(episode).collect()
}

const AVERAGE: &str = "           Average success 0.5\n";

#[test]
fn the_last_step_of_an_episode_tells_how_it_ended() {
    let log = episodes(&[true, false, false]);
    assert_eq!(summary(&log), ("simpler-env".into(), Some(2), None, "unknown"), "the third one may go on");
    assert_eq!(metrics(&log), json!({"episodes": 2.0, "successes": 1.0, "success_rate": 0.5}));
    let log = episodes(&[true, false]) + AVERAGE;
    assert_eq!(summary(&log), ("simpler-env".into(), Some(2), Some(2), "succeeded"));
}

#[test]
fn settings_after_one_another_add_up() {
    let first = episodes(&[true, false]) + AVERAGE;
    let log = first.clone() + &episodes(&[false, false, true]) + AVERAGE;
    assert_eq!(summary(&log), ("simpler-env".into(), Some(5), Some(5), "succeeded"));
    assert_eq!(metrics(&log)["successes"], 2.0);
    assert_eq!(summary(&(first + &episodes(&[false]))).3, "unknown", "the second has not ended");
}

#[test]
fn the_share_alone_is_a_result() {
    assert_eq!(summary(AVERAGE), ("simpler-env".into(), None, None, "succeeded"));
    assert_eq!(metrics(AVERAGE), json!({"success_rate": 0.5}));
    assert_eq!(summary("Average success 0.5 in both rooms\n").0, "none");
}
