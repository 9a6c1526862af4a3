//! Logs of RoboTwin.

use serde_json::json;

use crate::progress::tests::any_cut::{metrics, read, summary};

fn episode(successes: u64, episodes: u64) -> String {
    let outcome = if episodes.is_multiple_of(2) { "\x1b[91mFail!\x1b[0m" } else { "\x1b[92mSuccess!\x1b[0m" };
    format!(
        "step: 399 / 400\rstep: 400 / 400\r{outcome}\n\
         \x1b[93mbeat_block_hammer\x1b[0m | \x1b[94mACT\x1b[0m | \x1b[92mdemo_clean\x1b[0m | \x1b[91m50\x1b[0m\n\
         Success rate: \x1b[96m{successes}/{episodes}\x1b[0m => \x1b[95m50.0%\x1b[0m, current seed: \x1b[90m100012\x1b[0m\n\n"
    )
}

#[test]
fn the_fraction_is_successes_of_the_episodes_so_far() {
    let log = episode(1, 1) + &episode(1, 2) + &episode(2, 3);
    assert_eq!(summary(&log), ("robotwin".into(), Some(3), None, "unknown"));
    assert_eq!(metrics(&log), json!({"episodes": 3.0, "successes": 2.0, "success_rate": 2.0 / 3.0}));
    let saved =
        log + "Data has been saved to eval_result/beat_block_hammer/ACT/demo_clean/50/2026/_result.txt\n";
    assert_eq!(summary(&saved).3, "succeeded");
}

#[test]
fn the_total_is_known_where_the_log_shows_it() {
    let log = format!("Namespace(task='a', test_num=100, seed=0)\n{}", episode(1, 1));
    assert_eq!(summary(&log), ("robotwin".into(), Some(1), Some(100), "incomplete"));
}

#[test]
fn older_versions_put_the_task_before_it() {
    let log = "step: 600 / 600\nfail!\napple_cabinet_storage success rate: 0/11, current seed: 100011\n";
    assert_eq!(summary(log).1, Some(11));
}

#[test]
fn tasks_side_by_side_add_up_and_runs_do_not() {
    let side_by_side = "[RESULT] adjust_bottle: Success rate: 1/1 => 100.0%, current seed: 100001\n\
                        [RESULT] click_bell: Success rate: 0/1 => 0.0%, current seed: 100001\n\
                        [RESULT] adjust_bottle: Success rate: 2/2 => 100.0%, current seed: 100002\n";
    assert_eq!(metrics(side_by_side), json!({"episodes": 3.0, "successes": 2.0, "success_rate": 2.0 / 3.0}));
    let in_turn = episode(1, 1) + &episode(1, 2) + &episode(1, 1);
    assert_eq!(
        metrics(&in_turn),
        json!({"episodes": 1.0, "successes": 1.0, "success_rate": 1.0}),
        "another run"
    );
    assert_eq!(read(&in_turn).runs(), 2);
    let logged = "2026-04-01 06:15:22 INFO Success rate: 1/1 => 100.0%, current seed: 100001\n\
                  2026-04-01 06:15:44 INFO Success rate: 2/2 => 100.0%, current seed: 100002\n";
    assert_eq!(summary(logged).1, Some(2), "a time is no task");
}

#[test]
fn other_words_recognise_nothing() {
    for line in ["current seed: 42", "Data has been saved to out.csv", "test_num=100", "Success rate: 80.0%"]
    {
        assert_eq!(summary(&format!("{line}\n")).0, "none", "{line}");
    }
}
