//! Logs of ACT's evaluations, and of trainings that pause for them.

use serde_json::json;

use crate::progress::tests::any_cut::{metrics, summary};

fn rollouts(successes: &[bool]) -> String {
    let rollout = |(number, success): (usize, &bool)| {
        let (reward, success) = if *success { (4, "True") } else { (3, "False") };
        format!(
            "Rollout {number}\nepisode_return=210.5, episode_highest_reward={reward}, env_max_reward=4, Success: {success}\n"
        )
    };
    successes.iter().enumerate().map(rollout).collect()
}

const TABLE: &str = "\nSuccess rate: 0.5\nAverage return: 210.5\n\nReward >= 0: 2/2 = 100.0%\nReward >= 3: 2/2 = 100.0%\n\
                     Reward >= 4: 1/2 = 50.0%\n\n";

#[test]
fn rollouts_are_counted_and_the_table_tells_how_many_there_were() {
    let log = rollouts(&[true, false]);
    assert_eq!(summary(&log), ("act".into(), Some(2), None, "unknown"));
    let log = log + TABLE + "policy_best.ckpt: success_rate=0.5 avg_return=210.5\n";
    assert_eq!(summary(&log), ("act".into(), Some(2), Some(2), "succeeded"));
    let expected = json!({"episodes": 2.0, "successes": 1.0, "success_rate": 0.5, "mean_reward": 210.5});
    assert_eq!(metrics(&log), expected);
}

#[test]
fn the_result_file_alone_is_a_whole_log() {
    assert_eq!(summary(TABLE), ("act".into(), Some(2), Some(2), "succeeded"));
    assert_eq!(metrics(TABLE)["successes"], 1.0);
}

#[test]
fn another_checkpoint_begins_anew() {
    let log = rollouts(&[true, false]) + TABLE + &rollouts(&[false]);
    assert_eq!(summary(&log), ("act".into(), Some(1), None, "unknown"));
    assert_eq!(metrics(&log)["success_rate"], 0.0);
}

#[test]
fn an_evaluation_between_steps_of_a_training_ends_nothing() {
    let log = "  0%|          | 0/10001 [00:00<?, ?it/s]validating\nVal loss:   54.26758\n".to_owned()
        + &rollouts(&[true, false])
        + TABLE
        + "\r  5%|▌         | 500/10001 [01:00<19:00, 8.33it/s]\n";
    assert_eq!(summary(&log), ("act".into(), Some(500), Some(10001), "incomplete"));
    assert_eq!(metrics(&log)["success_rate"], 0.5);
}
