//! Tables, evaluations and bars of Stable-Baselines3.

use std::sync::Arc;

use serde_json::json;

use crate::model::sweep::plan::ProgressSpec;
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;
use crate::progress::scan::reading::scan_json;
use crate::progress::tests::any_cut::{metrics, read, summary};

fn table(timesteps: u64) -> String {
    format!(
        "\
-----------------------------------------
| rollout/                |             |
|    ep_len_mean          | 812         |
|    ep_rew_mean          | 1.74e+03    |
| time/                   |             |
|    fps                  | 1066        |
|    iterations           | 2           |
|    time_elapsed         | 3           |
|    total_timesteps      | {timesteps:<11} |
| train/                  |             |
|    approx_kl            | 0.008       |
|    explained_variance   | nan         |
|    loss                 | 4.5         |
-----------------------------------------
"
    )
}

const EVALUATION: &str = "\
Eval num_timesteps=10000, episode_reward=12.50 +/- 3.00
Episode length: 100.40 +/- 9.99
Success rate: 12.00%
----------------------------------
| eval/              |           |
|    mean_ep_length  | 100       |
|    mean_reward     | 12.5      |
|    success_rate    | 0.12      |
| time/              |           |
|    total_timesteps | 10000     |
----------------------------------
New best mean reward!
";

fn with_total(log: &str, total: u64) -> serde_json::Value {
    let progress = ProgressSpec { total: Some(total), ..ProgressSpec::of_preset("sb3") };
    let mut reader = LogReader::new(Arc::new(LogRules::compile(&progress, &[], &[]).unwrap()));
    let mut marks = Vec::new();
    reader.feed(log.as_bytes(), &mut marks);
    reader.finish(&mut marks);
    scan_json(reader.reading())
}

#[test]
fn a_table_counts_timesteps_and_the_sweep_says_how_many() {
    let log = table(4096);
    assert_eq!(summary(&log), ("sb3".into(), Some(4096), None, "unknown"));
    let expected = json!({
        "mean_reward": 1740.0, "mean_episode_length": 812.0, "steps_per_s": 1066.0, "time_elapsed_s": 3.0,
        "total_steps": 4096.0, "loss": 4.5,
    });
    assert_eq!(metrics(&log), expected);
    let short = with_total(&log, 10_000);
    assert_eq!((&short["progress"]["total"], &short["verdict"]), (&json!(10_000), &json!("incomplete")));
    let resumed = format!("{}{}", table(1_004_096), table(1_010_240));
    assert_eq!(with_total(&resumed, 1_010_000)["verdict"], "succeeded");
    assert_eq!(summary(&resumed).1, Some(1_010_240));
}

#[test]
fn older_tables_have_no_sections_and_write_all_numbers_short() {
    let log = "\
----------------------------------
| ep_len_mean         | 812      |
| ep_reward_mean      | -200     |
| fps                 | 1066     |
| time_elapsed        | 3        |
| total_timesteps     | 1.02e+06 |
----------------------------------
";
    assert_eq!(summary(log), ("sb3".into(), Some(1_020_000), None, "unknown"));
    assert_eq!(metrics(log)["mean_reward"], -200.0);
}

#[test]
fn evaluations_while_it_trains_are_kept_apart_from_the_training() {
    let alone = json!({
        "mean_reward": 12.5, "mean_episode_length": 100.0, "success_rate": 0.12, "eval_mean_reward": 12.5,
        "eval_mean_episode_length": 100.0, "eval_success_rate": 0.12, "total_steps": 10_000.0,
    });
    assert_eq!(metrics(EVALUATION), alone);
    let lines = EVALUATION.split("---").next().unwrap();
    assert_eq!(summary(lines), ("sb3".into(), Some(10_000), None, "unknown"));
    assert_eq!(metrics(lines)["eval_mean_episode_length"], 100.4);
    let both = metrics(&format!("{}{EVALUATION}", table(8192)));
    assert_eq!((&both["mean_reward"], &both["eval_mean_reward"]), (&json!(1740.0), &json!(12.5)));
    assert_eq!((&both["success_rate"], &both["eval_success_rate"]), (&json!(null), &json!(0.12)));
}

#[test]
fn the_evaluation_of_a_finished_policy_is_read() {
    let log = "Episode Reward: 250.00\nEpisode Length 500\nSuccess rate: 50.00%\n4 Episodes\n\
               Mean reward: 240.50 +/- 10.00\nMean episode length: 480.25 +/- 9.00\n";
    assert_eq!(summary(log), ("sb3".into(), None, None, "unknown"));
    assert_eq!(metrics(log), json!({"mean_reward": 240.5, "mean_episode_length": 480.25}));
    let declared = with_total(log, 1);
    assert_eq!(declared["metrics"]["success_rate"], 0.5);
    assert_eq!(metrics("mean_reward:475.20 +/- 52.10\n"), json!({"mean_reward": 475.2}));
}

#[test]
fn its_bar_knows_the_total() {
    let rich =
        |done: &str| format!("\r  40% ━━━━━━╸━━━━━━━━━ {done}/10,000  [ 0:00:03 < 0:00:05 , 1,066 it/s ]");
    let log = format!("{}{}{}\n", rich("2,048"), table(2048), rich("4,096"));
    assert_eq!(summary(&log), ("sb3".into(), Some(4096), Some(10_000), "incomplete"));
    let plain =
        format!("{}\r100%|████| 10240/10000 [00:09<00:00, 1066.1it/s]\n{}", table(2048), table(10_240));
    assert_eq!(summary(&plain), ("sb3".into(), Some(10_240), Some(10_000), "succeeded"));
    let of_something_else = format!("{}\rRollouts: 100%|████| 5/5 [00:09<00:00, 1.1it/s]\n", table(2048));
    assert_eq!(summary(&of_something_else), ("sb3".into(), Some(2048), None, "unknown"));
}

#[test]
fn a_bar_that_has_just_begun_draws_little() {
    let log = format!(
        "{}   3% ━                         363/10,000  [ 0:00:00 < 0:00:08 , 1,271 it/s ]\n",
        table(256)
    );
    assert_eq!(summary(&log), ("sb3".into(), Some(363), Some(10_000), "incomplete"));
}

#[test]
fn a_callback_may_end_the_training() {
    for reason in
        ["because the mean reward 501.00  is above the threshold 500", "with a total of 4096 steps because"]
    {
        let log = format!("{}Stopping training {reason}\n", table(4096));
        assert_eq!(summary(&log), ("sb3".into(), Some(4096), Some(4096), "succeeded"));
        let bar = "  43% ━━━━━━━╸         4,300/10,000  [ 0:00:03 < 0:00:05 , 1,066 it/s ]\n";
        assert_eq!(summary(&format!("{log}{bar}")), ("sb3".into(), Some(4300), Some(4300), "succeeded"));
        let again = format!("{log}{}", table(8192));
        assert_eq!(summary(&again), ("sb3".into(), Some(8192), None, "unknown"));
    }
}

#[test]
fn means_of_no_episodes_are_no_trouble_and_losses_that_are_no_numbers_are() {
    let read = |log: &str| {
        let read = read(log);
        (read.alerts.iter().map(|alert| alert.count).sum::<u64>(), summary(log).3)
    };
    let empty = table(256).replace("812 ", "nan ").replace("1.74e+03", "nan     ");
    assert_eq!(read(&empty), (0, "unknown"));
    assert_eq!(metrics(&empty)["mean_reward"], json!(null));
    assert_eq!(read(&format!("{empty}{}", table(512))), (0, "unknown"));
    assert_eq!(read(&table(256).replace("1.74e+03", "nan     ")), (1, "invalid"));
    let ancestor = |reward: &str, length: &str| {
        format!(
            "| ep_rewmean         | {reward:<9} |\n| eplenmean          | {length:<9} |\n| total_timesteps    | 256       |\n"
        )
    };
    assert_eq!(read(&ancestor("nan", "nan").repeat(2)), (0, "unknown"));
    assert_eq!(read(&format!("{}{}", ancestor("nan", "nan"), ancestor("-3.5", "12"))), (0, "unknown"));
    assert_eq!(read(&ancestor("nan", "12")), (1, "invalid"));
    assert_eq!(
        read("| ep_rewmean         | nan       |\n| total_timesteps    | 256       |\n"),
        (1, "invalid")
    );
    assert_eq!(read(&table(256).replace("4.5 ", "nan ")), (1, "invalid"));
}

#[test]
fn other_tables_are_left_alone() {
    let log = "+---------+-------+\n| Property | Value |\n| success_rate | 0.8 |\n| fps        | 30 |\n";
    assert_eq!(summary(log).0, "none");
    let torn = &table(4096)[..table(4096).find("4096").unwrap() + 2];
    assert_eq!(summary(torn).1, None);
}

#[test]
fn the_tables_of_baselines_count_timesteps() {
    let table =
        |n| format!("----------\n| eprewmean       | -4.88 |\n| timestepsofar   | {n}  |\n----------\n");
    assert_eq!(summary(&(table(1017) + &table(2034))), ("sb3".into(), Some(2034), None, "unknown"));
}
