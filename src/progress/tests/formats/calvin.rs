//! Logs of evaluations on CALVIN.

use serde_json::json;

use crate::progress::tests::any_cut::{metrics, summary};

fn bar(done: u64, total: u64, seconds: u64) -> String {
    format!(
        "\r1/5 : 90.0% | 2/5 : 80.5% | 3/5 : 70.0% | 4/5 : 60.0% | 5/5 : 50.0% ||: {:>3}%|██  | {done}/{total} \
         [00:{seconds:02}<10:00,  9.30s/it]",
        100 * done / total
    )
}

#[test]
fn the_name_of_the_bar_tells_the_shares() {
    let log = bar(1, 4, 9) + &bar(2, 4, 18);
    assert_eq!(summary(&log), ("calvin".into(), Some(2), Some(4), "incomplete"));
    let rates = json!({"success_rate_1": 0.9, "success_rate_2": 0.805, "success_rate_3": 0.7, "success_rate_4": 0.6,
        "success_rate_5": 0.5});
    assert_eq!(metrics(&log), rates);
    let log = log + &bar(4, 4, 30) + "\nAverage successful sequence length: 3.505\n";
    assert_eq!(summary(&log), ("calvin".into(), Some(4), Some(4), "succeeded"));
    assert_eq!(metrics(&log)["mean_sequence_length"], 3.505);
}

#[test]
fn bars_of_several_processes_tell_no_total() {
    let log = bar(2, 4, 9) + &bar(1, 4, 9) + &bar(4, 4, 40);
    assert_eq!(summary(&log), ("calvin".into(), Some(4), None, "unknown"), "one of them has done its part");
    let log = log + "\nAverage successful sequence length: 3.5\n";
    assert_eq!(summary(&log).3, "succeeded");
}

#[test]
fn rollouts_of_a_training_count_exactly() {
    let log = "1 / 5 subtasks: 7 / 9 sequences, SR: 77.8%\n5 / 5 subtasks: 3 / 9 sequences, SR: 33.3%\n";
    assert_eq!(metrics(log), json!({"success_rate_1": 7.0 / 9.0, "success_rate_5": 3.0 / 9.0}));
    assert_eq!(summary(log).0, "calvin");
}
