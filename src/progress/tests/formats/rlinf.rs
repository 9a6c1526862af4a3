//! Logs of RLinf.

use serde_json::json;

use crate::progress::tests::any_cut::{metrics, summary};

const RESULTS: &str = "[INFO 11:44:08 RLinf] {'eval/success_once': array(0.9375, dtype=float32), 'eval/return': \
    array(1., dtype=float32), 'eval/episode_len': array(80., dtype=float32), 'eval/reward': array(0.0125, dtype=float32), \
    'eval/success_at_end': array(0.8125, dtype=float32), 'eval/num_trajectories': 16}\n";

fn table(step: u64, total: u64, section: &str, success: f64) -> String {
    format!(
        "\n╭──────────────────────────────────────────────────────────────╮\n\
         ├─────────────────────── Metric Table ─────────────────────────┤\n\
         │ Global Step: {step:4}/{total} │ Progress: ██████░░░░ │ 100.0%          │\n\
         │ Elapsed: 20:34 │ ETA: 00:00 │ Step Time: 1234.500s           │\n\
         ├─────────────────────────── Time ─────────────────────────────┤\n\
         │step=311.6           │reward=7.000        │                   │\n\
         ├──────────────────────── {section} ───────────────────────────┤\n\
         │episode_len=80.000   │num_trajectories=16 │return=1.000       │\n\
         │reward=0.013         │success_at_end=0.813│success_once={success:.3} │\n\
         ╰──────────────────────────────────────────────────────────────╯\n"
    )
}

fn exact() -> serde_json::Value {
    json!({
        "success_once": 0.9375, "success_rate": 0.9375, "success_at_end": 0.8125, "return": 1.0, "reward": 0.0125,
        "episode_len": 80.0, "num_trajectories": 16.0, "episodes": 16.0, "successes": 15.0,
    })
}

#[test]
fn a_dictionary_ends_an_evaluation() {
    assert_eq!(summary(RESULTS), ("rlinf".into(), Some(1), Some(1), "succeeded"));
    assert_eq!(metrics(RESULTS), exact());
    assert_eq!(summary("Starting the evaluation\n"), ("none".into(), None, None, "incomplete"));
}

#[test]
fn of_several_evaluations_the_last_one_counts() {
    let later = "eval_metrics={'eval/success_once': array(0.5, dtype=float32), 'eval/success_at_end': array(0.25, dtype=float32)}\n";
    let log = format!("{RESULTS}next scene:\n{later}");
    assert_eq!(summary(&log), ("rlinf".into(), Some(2), Some(2), "succeeded"));
    assert_eq!(
        (metrics(&log)["success_once"].clone(), metrics(&log)["success_at_end"].clone()),
        (json!(0.5), json!(0.25))
    );
}

#[test]
fn the_table_rounds_what_the_dictionary_tells() {
    let log = RESULTS.to_owned() + &table(1, 1, "Evaluation", 0.938);
    assert_eq!(summary(&log), ("rlinf".into(), Some(1), Some(1), "succeeded"));
    let mut expected = exact();
    expected["step_time_s"] = json!(1234.5);
    assert_eq!(metrics(&log), expected);
    let alone = metrics(&table(1, 1, "Evaluation", 0.938));
    assert_eq!((alone["success_rate"].clone(), alone["reward"].clone()), (json!(0.938), json!(0.013)));
    assert_eq!(alone.get("successes"), None, "a rounded rate does not tell a whole number");
}

#[test]
fn a_training_counts_its_steps_and_keeps_its_own_episodes_apart() {
    let log = table(50, 1000, "Environment", 0.25)
        + &table(51, 1000, "Evaluation", 0.75)
        + &table(52, 1000, "Environment", 0.5);
    assert_eq!(summary(&log), ("rlinf".into(), Some(52), Some(1000), "incomplete"));
    let metrics = metrics(&log);
    assert_eq!(
        (metrics["success_once"].clone(), metrics["env_success_once"].clone()),
        (json!(0.75), json!(0.5))
    );
}

#[test]
fn a_dictionary_that_is_cut_off_tells_what_is_complete() {
    let cut = &RESULTS[..RESULTS.find("0.8125").unwrap() + 3];
    assert_eq!(metrics(cut).get("success_at_end"), None);
    assert_eq!(metrics(cut)["success_once"], 0.9375);
    let summary_of_wandb =
        format!("{RESULTS}wandb:        eval/success_once 0.9375\nwandb:  eval/success_at_end ▁\n");
    assert_eq!(summary(&summary_of_wandb).1, Some(1));
}

#[test]
fn boxes_of_others_recognise_nothing() {
    let log = "├── src\n│ reward=3 │\nEpoch: 1 Global Step: 100    Loss 0.5\nGlobal Step: 4/9\n";
    assert_ne!(summary(log).0, "rlinf");
}

#[test]
fn a_dictionary_may_be_laid_out_over_several_lines() {
    let lines = RESULTS.replace("{", "{\n  ").replace("), '", "),\n  '").replace("}", "\n}");
    assert!(lines.lines().count() > 6);
    assert_eq!(summary(&lines), ("rlinf".into(), Some(1), Some(1), "succeeded"));
    assert_eq!(metrics(&lines), exact());
    let sorted = "eval_metrics={\n 'eval/episode_len': array(80., dtype=float32),\n 'eval/num_trajectories': 16,\n 'eval/return': \
                  array(1.),\n 'eval/reward': array(0.0125),\n 'eval/success_at_end': array(0.8125),\n 'eval/success_once': \
                  array(0.9375)}\n";
    assert_eq!(metrics(sorted), exact());
    assert_eq!(summary(&(lines + sorted)), ("rlinf".into(), Some(2), Some(2), "succeeded"));
    let subtasks = "[INFO 03:22:17 RLinf] {'eval/subtask_1_success_once': array(0.875), 'eval/subtask_2_success_once': \
                    array(0.5),\n      'eval/success_once': array(0.25),\n      'eval/num_trajectories': 8, ...}\n";
    assert_eq!(metrics(subtasks)["successes"], 2.0);
    assert_eq!(summary(subtasks), ("rlinf".into(), Some(1), Some(1), "succeeded"));
}

#[test]
fn returns_of_others_recognise_nothing() {
    let log = "{'eval/return': 12.5, 'eval/episode_len': 80.0}\n'eval/reward': 3\n";
    assert_eq!(summary(log).0, "none");
}
