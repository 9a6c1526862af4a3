//! Logs of LeRobot's evaluations.

use serde_json::json;

use crate::progress::tests::any_cut::{metrics, read, summary};

/// The bars of one task, whose rate is drawn before the batch is counted.
fn task(batches: u64, total: u64, percent: f64) -> String {
    let mut log = format!("\rStepping through eval batches:   0%|          | 0/{total} [00:00<?, ?it/s]\n");
    for batch in 0..batches {
        let blocks = "█".repeat(4);
        log += &format!(
            "\rRunning rollout with at most 280 steps:  50%|{blocks}| 140/280 [00:02<00:02, 61.2it/s, running_success_rate=99.0%]\
             \x1b[A\rStepping through eval batches:  10%|{blocks}| {batch}/{total} [00:09<00:27,  9.1s/it, running_success_rate={percent:.1}%]\
             \rStepping through eval batches:  10%|{blocks}| {}/{total} [00:09<00:27,  9.1s/it, running_success_rate={percent:.1}%]",
            batch + 1
        );
    }
    log + "\n"
}

fn built(tasks: u64) -> String {
    (0..tasks).map(|id| format!("Built vec env | suite=libero_10 | task_id={id} | n_envs=4\n")).collect()
}

const OVERALL: &str = "{'avg_sum_reward': 0.75, 'avg_max_reward': 0.5, 'pc_success': 37.5, 'n_episodes': 8, \
    'eval_s': 57.5, 'eval_ep_s': 7.1, 'video_paths': ['out/eval_episode_0.mp4']}";

/// The end of the log, as the newer versions print it.
fn end() -> String {
    let log = |text: &str| format!("INFO 2026-08-05 22:27:01 bot_eval.py:814 {text}\n");
    let task = |id: u8, successes: &str| {
        format!(
            "{{'task_group': 'libero_10', 'task_id': {id}, 'metrics': {{'sum_rewards': [1.5, 0.0, 1.5, 0.0], \
             'max_rewards': [1.0, 0.0, 1.0, 0.0], 'successes': [{successes}], 'video_paths': []}}}}"
        )
    };
    let tasks =
        format!("[{}, {}]", task(0, "True, False, True, False"), task(1, "False, False, True, False"));
    let group =
        "{'libero_10': {'avg_sum_reward': 9.0, 'pc_success': 99.0, 'n_episodes': 8, 'video_paths': []}}";
    [
        log("Overall Aggregated Metrics:"),
        log(OVERALL),
        log("\nAggregated Metrics for per_task:"),
        log(&tasks),
        log("\nAggregated Metrics for per_group:"),
        log(group),
        log("\nAggregated Metrics for overall:"),
        log(OVERALL),
        "INFO 2026-08-05 22:27:02 bot_eval.py:830 End of eval\n".to_owned(),
    ]
    .concat()
}

#[test]
fn the_batches_of_all_tasks_are_counted() {
    let log = built(3) + &task(2, 2, 80.0) + &task(1, 2, 40.0);
    assert_eq!(summary(&log), ("lerobot".into(), Some(3), Some(6), "incomplete"));
    let rate = metrics(&log)["success_rate"].as_f64().unwrap();
    assert!((rate - (2.0 * 0.8 + 0.4) / 3.0).abs() < 1e-9, "{rate}");
}

#[test]
fn the_bar_of_steps_tells_how_far_the_batch_is() {
    let log = task(1, 2, 50.0)
        + "\rRunning rollout with at most 280 steps:  43%|████| 120/280 [00:02<00:02, 61.2it/s]\n";
    let part = read(&log).part.unwrap();
    assert_eq!((part.done, part.total), (120, Some(280)));
    assert_eq!(summary(&log).1, Some(1));
}

#[test]
fn one_task_is_all_there_is_until_another_bar_shows() {
    assert_eq!(summary(&task(1, 2, 50.0)), ("lerobot".into(), Some(1), Some(2), "incomplete"));
    assert_eq!(
        summary(&(task(2, 2, 50.0) + &task(1, 2, 50.0))),
        ("lerobot".into(), Some(3), None, "unknown")
    );
}

#[test]
fn the_results_are_those_that_are_printed() {
    let log = built(2) + &task(2, 2, 50.0) + &task(2, 2, 25.0) + &end();
    assert_eq!(summary(&log), ("lerobot".into(), Some(4), Some(4), "succeeded"));
    let expected = json!({
        "episodes": 8.0, "successes": 3.0, "success_rate": 0.375,
        "mean_sum_reward": 0.75, "mean_max_reward": 0.5, "eval_s": 57.5,
    });
    assert_eq!(metrics(&log), expected);
    assert!(read(&log).finished.is_some());
}

#[test]
fn older_versions_print_one_dictionary_and_no_success_at_all_is_no_failure() {
    let results = "{'avg_sum_reward': 27.2, 'avg_max_reward': 0.3, 'pc_success': 0.0, 'eval_s': 93.1, 'eval_ep_s': 9.3}   \n";
    let log = task(1, 1, 0.0) + results + "INFO 2024-06-23 18:09:14 pts/eval.py:578 End of eval\n";
    assert_eq!(summary(&log), ("lerobot".into(), Some(1), Some(1), "succeeded"));
    assert_eq!(
        (metrics(&log)["success_rate"].clone(), metrics(&log)["eval_s"].clone()),
        (json!(0.0), json!(93.1))
    );
}

#[test]
fn results_that_are_cut_off_tell_what_is_left_of_them() {
    let log = end();
    let cut = &log[..log.find("'eval_ep_s'").unwrap()];
    let expected = json!({
        "episodes": 8.0, "successes": 3.0, "success_rate": 0.375,
        "mean_sum_reward": 0.75, "mean_max_reward": 0.5, "eval_s": 57.5,
    });
    assert_eq!(metrics(cut), expected);
    let tasks_only =
        format!("x {}", &log[log.find("[{'task_group'").unwrap()..log.find(", 'task_id': 1").unwrap()]);
    assert_eq!(metrics(&tasks_only), json!({}), "a list that lacks episodes is no sum");
}

#[test]
fn a_torn_bar_still_tells_its_rate() {
    let log = "\rStepping through eval batches:  80%|████  | 4/5 [02:22<00:33, 33.92s/it, running_success_rate=17.5%/opt/lib.py:311: Warning: x\n";
    assert_eq!(summary(log), ("lerobot".into(), Some(4), Some(5), "incomplete"));
    assert_eq!(metrics(log), json!({"success_rate": 0.175}));
    let torn = "\rStepping through eval batches:  80%|████/opt/lib.py:311: Warning: x\n";
    assert_eq!(summary(torn), ("lerobot".into(), None, None, "unknown"));
}

#[test]
fn bars_side_by_side_claim_no_more_than_is_certain() {
    let bar =
        |done: u64| format!("\rStepping through eval batches:  10%|█  | {done}/3 [00:09<00:27,  9.1s/it]");
    let log = built(2) + &[0, 0, 1, 1, 2, 2, 3, 3].map(bar).concat() + "\n";
    assert_eq!(summary(&log), ("lerobot".into(), Some(3), Some(6), "incomplete"));
    assert_eq!(summary(&(log + "End of eval\n")), ("lerobot".into(), Some(6), Some(6), "succeeded"));
}

#[test]
fn words_that_others_use_too_recognise_nothing() {
    for line in ["End of eval", "running_success_rate=17.5%", "[{'task_group': 'x'}]", "pc_success: 3"] {
        assert_eq!(summary(&format!("{line}\n")).0, "none", "{line}");
    }
}

#[test]
fn environments_of_meta_world_are_told_before_they_are_built() {
    let building = |id| format!("Building vec env | group=easy | task_id={id} | task=door-{id}-v3\n");
    let log = building(0) + &building(1) + &task(1, 2, 50.0);
    assert_eq!(summary(&log), ("lerobot".into(), Some(1), Some(4), "incomplete"));
}

#[test]
fn without_bars_the_results_count_the_episodes() {
    assert_eq!(summary(&(built(2) + &end())), ("lerobot".into(), Some(8), Some(8), "succeeded"));
    assert_eq!(read(&end()).unit, "episodes");
    // To a pipe they come behind the end, and so do the words on the tasks.
    let late = task(2, 2, 37.5) + "INFO x bot_eval.py:830 End of eval\n" + &built(1) + &end();
    assert_eq!(summary(&late), ("lerobot".into(), Some(2), Some(2), "succeeded"));
    assert_eq!(read(&late).unit, "batches");
}

#[test]
fn evaluations_after_one_another_add_up_and_the_last_one_tells_the_results() {
    let first = built(2) + &task(2, 2, 50.0) + &task(2, 2, 25.0) + &end();
    let second = built(1) + &task(1, 3, 12.5);
    assert_eq!(summary(&(first.clone() + &second)), ("lerobot".into(), Some(5), Some(7), "incomplete"));
    assert_eq!(metrics(&(first.clone() + &second))["success_rate"], 0.125);
    let thrown = first
        + &second
        + "Traceback (most recent call last):\n  File \"e.py\", line 3, in f\nKeyError: 'x'\n";
    assert_eq!(summary(&thrown).3, "failed");
}

#[test]
fn results_may_be_laid_out_over_several_lines() {
    let expected = json!({
        "episodes": 8.0, "successes": 3.0, "success_rate": 0.375,
        "mean_sum_reward": 0.75, "mean_max_reward": 0.5, "eval_s": 57.5,
    });
    let config = "INFO 2026-08-05 22:27:01 bot_eval.py:507 {'env': {'fps': 10},\n 'eval': {'batch_size': 4,\n          \
                  'n_episodes': 99,\n          'use_async_envs': False},\n";
    let sorted = "INFO x {'avg_max_reward': np.float64(0.5),\n 'avg_sum_reward': 0.75,\n 'eval_ep_s': 7.1,\n 'eval_s': 57.5,\n \
                  'n_episodes': 8,\n 'pc_success': np.float64(37.5),\n 'video_paths': ['a.mp4',\n                 'b.mp4']}\n";
    let wrapped = "{'avg_sum_reward': 0.75, 'avg_max_reward': 0.5, 'pc_success': 37.5,\n 'n_episodes': 8, 'eval_s': 57.5, ...}\n";
    let indented = "{\n  \"overall\": {\n    \"avg_sum_reward\": 0.75,\n    \"avg_max_reward\": 0.5,\n    \"pc_success\": 37.5,\n    \
                    \"n_episodes\": 8,\n    \"eval_s\": 57.5,\n    \"eval_ep_s\": 7.1\n  }\n}\n";
    let group = " 'libero_10': {'avg_max_reward': 9.0,\n 'avg_sum_reward': 9.0,\n 'n_episodes': 4,\n 'pc_success': 99.0}\n";
    for results in [sorted, wrapped, indented] {
        let log = format!("{config}{results}{group}");
        assert_eq!(metrics(&log), expected, "{results}");
        assert_eq!(summary(&log), ("lerobot".into(), Some(8), Some(8), "succeeded"), "{results}");
    }
    assert_eq!(metrics(&format!("{config}{group}")), json!({}));
}

#[test]
fn one_of_several_groups_does_not_stand_for_all() {
    let group = |percent: f64| format!("{{'pc_success': {percent:?}, 'n_episodes': 4}}");
    let log = |groups: String| format!("Aggregated Metrics for per_group:\n{groups}\n");
    assert_eq!(metrics(&log(format!("{{'a': {}, 'b': {}}}", group(25.0), group(75.0)))), json!({}));
    assert_eq!(metrics(&log(format!("{{'a': {}}}", group(25.0))))["success_rate"], 0.25);
}

#[test]
fn of_each_task_perhaps_only_the_full_bar_was_kept() {
    let full = |time: &str, percent: f64| {
        format!(
            "Stepping through eval batches: 100%|████| 5/5 [{time}<00:00, 14.5s/it, running_success_rate={percent:.1}%]\n"
        )
    };
    let twice = full("12:04", 10.0) + &full("12:05", 10.0);
    assert_eq!(
        summary(&twice),
        ("lerobot".into(), Some(5), Some(5), "succeeded"),
        "drawn again when it closed"
    );
    let log = twice + &full("11:51", 10.0) + &full("11:52", 70.0);
    assert_eq!(summary(&(built(3) + &log)), ("lerobot".into(), Some(15), Some(15), "succeeded"));
    assert!((metrics(&log)["success_rate"].as_f64().unwrap() - 0.3).abs() < 1e-9);
    assert_eq!(summary(&log), ("lerobot".into(), Some(15), None, "unknown"));
}
