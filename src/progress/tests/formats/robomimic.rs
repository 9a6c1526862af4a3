//! Logs of robomimic: evaluations of an agent and rollouts of a training.

use serde_json::json;

use crate::progress::scan::reading::scan_json;
use crate::progress::tests::any_cut::{metrics, read, summary};

#[test]
fn the_averages_of_an_evaluation_are_its_results() {
    let log = "Average Rollout Stats\n{\n    \"Return\": 0.86,\n    \"Horizon\": 231.5,\n    \"Success_Rate\": 0.86,\n    \
               \"Num_Success\": 43.0\n}\n";
    assert_eq!(summary(log), ("robomimic".into(), Some(50), Some(50), "succeeded"));
    let expected = json!({"episodes": 50.0, "successes": 43.0, "success_rate": 0.86, "mean_reward": 0.86,
        "mean_length": 231.5});
    assert_eq!(metrics(log), expected);
    let none = log.replace("0.86", "0.0").replace("43.0", "0.0");
    assert_eq!(summary(&none).1, None, "of no success nobody knows how many episodes there were");
    assert_eq!(metrics(&none)["successes"], 0.0);
}

#[test]
fn a_training_tells_its_epochs_and_the_newest_rollouts() {
    let epoch = |epoch: u64, rate: f64| {
        format!(
            "Train Epoch {epoch}\n{{\n    \"Loss\": 0.1\n}}\n\nEpoch {epoch} Rollouts took 8.09s (avg) with results:\n\
             Env: NutAssemblySquare\n{{\n    \"Horizon\": 468.34,\n    \"Return\": {rate},\n    \"Success_Rate\": {rate},\n    \
             \"time\": 8.09\n}}\n"
        )
    };
    let log = epoch(50, 0.1) + &epoch(100, 0.16) + "Train Epoch 101\n{\n    \"Success_Rate\": 0.99\n}\n";
    assert_eq!(summary(&log), ("robomimic".into(), Some(101), None, "unknown"));
    assert_eq!(metrics(&log), json!({"mean_length": 468.34, "mean_reward": 0.16, "success_rate": 0.16}));
    assert_eq!(summary(&(log + "finished run successfully!\n")).3, "succeeded");
}

#[test]
fn a_training_that_failed_says_so_and_exits_with_0() {
    let log = "Train Epoch 1\nrun failed with error:\nno such file\n\nTraceback (most recent call last):\n  \
               File \"train.py\", line 3, in main\n    train()\nValueError: no such file\n";
    assert_eq!(summary(log).3, "failed");
    assert_eq!(scan_json(&read(log))["reason"], "exception");
}

#[test]
fn a_training_without_rollouts_is_known_by_the_values_of_its_epochs() {
    let epoch = |epoch: u64| {
        format!(
            "  0%|          | 0/100 [00:00<?, ?it/s]\r100%|##########| 100/100 [00:07<00:00, 12.64it/s]\nTrain Epoch {epoch}\n\
             {{\n    \"Loss\": 0.1,\n    \"Time_Train_Batch\": 0.11\n}}\n"
        )
    };
    let log = format!("    \"num_epochs\": 150,\n{}", (1..=3).map(epoch).collect::<String>());
    assert_eq!(summary(&log), ("robomimic".into(), Some(3), Some(150), "incomplete"));
    let all = log.replace("150", "3");
    assert_eq!(summary(&all).3, "unknown", "it may validate, roll out and save");
    let whole = format!("{log}[2026-08-10T14:44:52][train_grasp] finished run successfully!\n");
    assert_eq!(summary(&whole).3, "succeeded", "it says so");
}
