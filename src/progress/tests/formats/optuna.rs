//! Searches with Optuna: their summary is printed by scripts, whatever came before it.

use crate::progress::scan::reading::scan_json;
use crate::progress::tests::any_cut::read;

const CREATED: &str = "[I 2024-05-02 10:11:12,345] A new study created in memory with name: no-name-0c5e\n";

fn trials(count: u64) -> String {
    (0..count).fold(CREATED.to_owned(), |log, trial| {
        log + &format!(
            "[I 2024-05-02 10:14:03,118] Trial {trial} finished with value: {trial}.5 and parameters: {{'lr': 0.00031}}. Best is trial 0 with value: 0.5.\n"
        )
    })
}

fn summary(count: u64) -> String {
    format!(
        "Study statistics: \n  Number of finished trials:  {count}\n  Number of pruned trials:  0\nBest trial:\n  Value:  0.5\n  Params: \n    lr: 0.00031\n    activation: relu\n"
    )
}

/// `succeeded`, or `failed cancelled`.
fn verdict(log: &str) -> String {
    let json = scan_json(&read(log));
    match json["reason"].as_str() {
        Some(reason) if json["verdict"] == "failed" => format!("failed {reason}"),
        Some(_) | None => json["verdict"].as_str().unwrap().to_owned(),
    }
}

#[test]
fn a_search_is_over_with_its_summary() {
    assert_eq!(verdict(&trials(10)), "unknown");
    assert_eq!(verdict(&(trials(10) + &summary(10))), "succeeded");
    // The number of trials is a limit: a search may end by its time or by its own rule.
    for limit in [10, 1000] {
        let announced = format!("Namespace(n_trials={limit}, timeout=3600)\n");
        assert_eq!(verdict(&(announced + &trials(10) + &summary(10))), "succeeded", "{limit}");
    }
    assert_eq!(scan_json(&read(&(trials(10) + &summary(10))))["metrics"]["best_value"], 0.5);
}

#[test]
fn a_summary_behind_something_else_ends_nothing() {
    let thrown = "Traceback (most recent call last):\n  File \"hpo.py\", line 70, in main\n    study.optimize(objective)\nKeyboardInterrupt\n";
    assert_eq!(verdict(&(trials(10) + thrown + &summary(10))), "failed cancelled");
    assert_eq!(verdict(&(trials(10) + &summary(10) + thrown)), "failed cancelled");
    let caught = "Stopping early due to keyboard interrupt...\n";
    assert_eq!(verdict(&(trials(10) + caught + &summary(10))), "unknown");
    assert_eq!(verdict(&(CREATED.to_owned() + &summary(0))), "unknown");
}

#[test]
fn work_behind_a_summary_takes_the_end_back() {
    let first = trials(10) + &summary(10);
    assert_eq!(verdict(&format!("{first}{CREATED}")), "unknown");
    assert_eq!(verdict(&format!("{first}Retraining on the full data\nEpoch 1/50 loss=0.4\n")), "unknown");
    let killed =
        "slurmstepd: error: *** JOB 12345 ON node1 CANCELLED AT 2024-05-02T12:00:00 DUE TO TIME LIMIT ***\n";
    assert_eq!(
        verdict(&format!("{first}Retraining on the full data\nEpoch 1/50 loss=0.4\n{killed}")),
        "failed timeout"
    );
    assert_eq!(
        verdict(&format!("[1/3] Optimizing SVM\n{first}[2/3] Optimizing RandomForest\n")),
        "incomplete"
    );
}
