//! Evaluations with LeIsaac: rates so far, and the last one.

use serde_json::json;

use crate::progress::tests::any_cut::{metrics, read, summary};

#[test]
fn the_last_rate_tells_how_many_episodes_there_were() {
    let so_far = "[INFO]: Completed setting up the environment...\n[Evaluation] Evaluating episode 1...\n\
                  [Evaluation] Episode 1 is successful!\n[Evaluation] now success rate: 1.0  [1/1]\n\
                  [Evaluation] Evaluating episode 2...\n[Evaluation] Episode 2 failed! Reasons: ['time_out']\n\
                  [Evaluation] now success rate: 0.5  [1/2]\n";
    assert_eq!(summary(so_far), ("leisaac".into(), Some(2), None, "unknown"));
    let begun = format!("{so_far}[Evaluation] Evaluating episode 3...\n");
    assert_eq!(summary(&begun), ("leisaac".into(), Some(2), None, "unknown"));
    let over = format!("{so_far}[Evaluation] Final success rate: 0.500  [1/2]\n");
    assert_eq!(summary(&over), ("leisaac".into(), Some(2), Some(2), "succeeded"));
    assert_eq!(metrics(&over), json!({"episodes": 2.0, "successes": 1.0, "success_rate": 0.5}));
    assert_eq!(
        read("[Evaluation] of 3 checkpoints\n[Evaluation] success rate: high [see 1/2]\n").preset,
        None
    );
}

#[test]
fn environments_side_by_side_end_in_rounds() {
    let log = "[Evaluation] Evaluating episode 1...\n\
               [Evaluation] round done: 3/4 succeeded; cumulative success rate: 0.625 [5/8]\n";
    assert_eq!(summary(log), ("leisaac".into(), Some(8), None, "unknown"));
    assert_eq!(metrics(log)["successes"], 5.0);
}
