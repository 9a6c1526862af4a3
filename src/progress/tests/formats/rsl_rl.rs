//! Blocks of rsl_rl in the form of each version.

use serde_json::json;

use crate::progress::tests::any_cut::{metrics, summary};

/// 1.0.2 to 2.2.4: a bold title, seconds as numbers, and no reward before an episode has ended.
const FIRST: &str = "\
################################################################################
                       \x1b[1m Learning iteration 0/2 \x1b[0m                       \n
                       Computation: 36447 steps/s (collection: 5.122s, learning 0.273s)
               Value function loss: 0.0911
                    Surrogate loss: -0.0019
             Mean action noise std: 1.00
--------------------------------------------------------------------------------
                   Total timesteps: 196608
                    Iteration time: 5.39s
                        Total time: 5.39s
                               ETA: -10.8s

################################################################################
                       \x1b[1m Learning iteration 1/2 \x1b[0m                       \n
                       Computation: 38022 steps/s (collection: 4.900s, learning 0.270s)
               Value function loss: 0.0500
                    Surrogate loss: -0.0021
             Mean action noise std: 0.99
                       Mean reward: -1.25
               Mean episode length: 18.40
   Mean episode rew_tracking_lin_vel: 0.0102
--------------------------------------------------------------------------------
                   Total timesteps: 393216
                    Iteration time: 5.17s
                        Total time: 10.56s
                               ETA: -5.4s

";

/// 2.3.1 to 3.1.3, resumed at 1500: other names of losses, times of day, keys too long for their column.
const SECOND: &str = "\
################################################################################
                    \x1b[1m Learning iteration 1500/3000 \x1b[0m                    \n
                       Computation: 8965 steps/s (collection: 2.474s, learning 0.268s)
             Mean action noise std: 0.91
          Mean value_function loss: 0.0064
               Mean surrogate loss: -0.0115
                 Mean entropy loss: 15.9578
                       Mean reward: 17.82
               Mean episode length: 983.76
Episode_Reward/track_lin_vel_xy_exp_with_a_long_name: 0.0602
              Metrics/success_rate: 0.8750
--------------------------------------------------------------------------------
                   Total timesteps: 24576
                    Iteration time: 2.74s
                      Time elapsed: 00:00:02
                               ETA: 01:08:31

";

/// 3.2 and later: no bold title where colours are off, the speed on a line of its own, times as in `1 day, 2:03:04`.
const THIRD: &str = "\
################################################################################
                          Learning iteration 29999/30000                           \n
                               Run name: stairs
                            Total steps: 2949120000 
                       Steps per second: 101010 
                        Collection time: 0.783s 
                          Learning time: 0.184s 
                        Mean value loss: 0.4399
                    Mean surrogate loss: -0.1204
                  Mean extrinsic reward: 1.00
                            Mean reward: 37.91
                    Mean episode length: 959.62
                        Mean action std: 0.31
--------------------------------------------------------------------------------
                         Iteration time: 0.97s
                           Time elapsed: 1 day, 2:03:04
                                    ETA: 0:00:00

";

fn done(log: &str) -> (Option<u64>, Option<u64>, &'static str) {
    let (preset, done, total, verdict) = summary(log);
    assert_eq!(preset, "rsl-rl");
    (done, total, verdict)
}

#[test]
fn every_version_is_read() {
    assert_eq!(done(FIRST), (Some(2), Some(2), "succeeded"));
    let expected = json!({
        "action_std": 0.99, "iteration_time_s": 5.17, "mean_episode_length": 18.4, "mean_reward": -1.25, "steps_per_s": 38022.0,
        "surrogate_loss": -0.0021, "total_steps": 393_216.0, "value_loss": 0.05,
    });
    assert_eq!(metrics(FIRST), expected);
    assert_eq!(done(SECOND), (Some(1501), Some(3000), "incomplete"));
    let expected = json!({
        "action_std": 0.91, "iteration_time_s": 2.74, "mean_episode_length": 983.76, "mean_reward": 17.82, "steps_per_s": 8965.0,
        "success_rate": 0.875, "surrogate_loss": -0.0115, "total_steps": 24576.0, "value_loss": 0.0064,
    });
    assert_eq!(metrics(SECOND), expected);
    assert_eq!(done(THIRD), (Some(30000), Some(30000), "succeeded"));
    let expected = json!({
        "action_std": 0.31, "iteration_time_s": 0.97, "mean_episode_length": 959.62, "mean_reward": 37.91, "steps_per_s": 101_010.0,
        "surrogate_loss": -0.1204, "total_steps": 2_949_120_000.0_f64, "value_loss": 0.4399,
    });
    assert_eq!(metrics(THIRD), expected);
}

#[test]
fn the_reward_of_an_iteration_without_one_is_unknown() {
    let first_block = &FIRST[..FIRST.find("Learning iteration 1/").unwrap()];
    assert_eq!(done(first_block), (Some(1), Some(2), "incomplete"));
    assert_eq!(metrics(first_block)["mean_reward"], json!(null));
}

#[test]
fn a_log_that_begins_within_a_block_is_recognised_by_its_speed() {
    let from_speed = &FIRST[FIRST.rfind("Computation").unwrap()..];
    let (preset, done, _, verdict) = summary(from_speed);
    assert_eq!((preset.as_str(), done, verdict), ("rsl-rl", None, "unknown"));
    assert_eq!(metrics(from_speed)["mean_reward"], -1.25);
    let from_reward = format!("{}{SECOND}", &FIRST[FIRST.rfind("Mean reward").unwrap()..]);
    assert_eq!(metrics(&from_reward)["mean_reward"], 17.82);
}

#[test]
fn a_block_that_was_cut_off_counts_for_no_more_than_it_shows() {
    let title = THIRD.find("29999/30000").unwrap();
    for (end, expected) in [("29999/3", None), ("29999/3000", None), ("29999/30000 ", Some(30000))] {
        assert_eq!(summary(&format!("{}{end}", &THIRD[..title])).1, expected, "{end}");
    }
    let second = FIRST.find("1/2 ").unwrap();
    assert_eq!(done(&FIRST[..second + 3]), (Some(2), Some(2), "succeeded"), "the total is known from before");
    let torn = &FIRST[..FIRST.find("-1.25").unwrap() + 3];
    assert_eq!(metrics(torn)["mean_reward"], json!(null), "`-1.` may be the start of any number");
}

#[test]
fn forks_count_from_1_or_only_what_is_to_come() {
    let line = |counts: &str| format!("      Learning iteration {counts}      \n");
    assert_eq!(done(&line("100/100")), (Some(100), Some(100), "succeeded"));
    assert_eq!(done(&line("2101/100")), (Some(2102), None, "unknown"));
}

#[test]
fn the_reward_has_other_names_in_other_versions() {
    for name in ["Mean total reward", "Mean reward (total)", "Mean rewards"] {
        assert_eq!(metrics(&FIRST.replace("Mean reward", name))["mean_reward"], -1.25, "{name}");
    }
    let before_any_episode = SECOND
        .replace("Mean value_function loss", "value_function")
        .replace("Mean surrogate loss", "surrogate");
    assert_eq!(metrics(&before_any_episode)["value_loss"], 0.0064);
    assert_eq!(metrics(&before_any_episode)["surrogate_loss"], -0.0115);
}

#[test]
fn a_block_may_stand_in_a_frame() {
    let framed: String = FIRST.lines().map(|line| format!("│ {line:<80} │\n")).collect();
    let log = format!("╭────── Training Log ──────╮\n{framed}╰──────────────────────────╯\n");
    assert_eq!(done(&log), (Some(2), Some(2), "succeeded"));
    assert_eq!(metrics(&log), metrics(FIRST));
    let without_total = log.replace("Learning iteration 1/2", "Learning iteration 1").replace("0/2", "0");
    assert_eq!(done(&without_total), (Some(2), None, "unknown"));
    assert_eq!(summary("it stopped at Learning iteration 12\n").0, "none");
}

#[test]
fn the_script_says_when_training_is_over() {
    let log = format!("{FIRST}Training time: 59.03 seconds\n");
    assert_eq!(metrics(&log)["training_time_s"], 59.03);
    assert_eq!(done(&log), (Some(2), Some(2), "succeeded"));
    let stopped = format!("{SECOND}Training time: 59.03 seconds\n");
    assert_eq!(done(&stopped), (Some(1501), Some(3000), "incomplete"));
}

#[test]
fn a_reward_that_is_no_number_spoils_the_results() {
    let log = FIRST.replace("-1.25", "nan");
    assert_eq!(done(&log), (Some(2), Some(2), "invalid"));
    let no_rate_yet = SECOND.replace("0.8750", "nan");
    assert_eq!(done(&no_rate_yet), (Some(1501), Some(3000), "incomplete"));
    assert_eq!(done(&format!("{SECOND}{no_rate_yet}")), (Some(1501), Some(3000), "invalid"));
}
