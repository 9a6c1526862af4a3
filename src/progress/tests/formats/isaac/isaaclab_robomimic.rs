//! Isaac Lab's scripts that play policies of robomimic: one model, several, and logs that stop.

use serde_json::json;

use crate::progress::tests::any_cut::{metrics, read, summary};

fn trials(before: &str, outcomes: &[&str]) -> String {
    let line = |(number, outcome): (usize, &&str)| {
        format!("{before} Starting trial {number}\n{before} Trial {number}: {outcome}\n\n")
    };
    outcomes.iter().enumerate().map(line).collect()
}

#[test]
fn the_last_lines_tell_how_many_trials_there_were() {
    let so_far = trials("[INFO]", &["True", "False", "True"]);
    assert_eq!(summary(&so_far), ("isaaclab-robomimic".into(), Some(3), None, "unknown"));
    let over = format!(
        "{so_far}\nSuccessful trials: 2, out of 3 trials\nSuccess rate: 0.66\nTrial Results: [True, False, True]\n"
    );
    assert_eq!(summary(&over), ("isaaclab-robomimic".into(), Some(3), Some(3), "succeeded"));
    assert_eq!(metrics(&over)["successes"], 2.0);
    let words = trials("[INFO]", &["SUCCESS", "FAILED"]);
    assert_eq!(metrics(&words), json!({"episodes": 2.0, "successes": 1.0, "success_rate": 0.5}));
    assert_eq!(read("[INFO] Trial 3: of 9\nTrial 2: True\n[INFO] Trial run\n").preset, None);
}

#[test]
fn several_models_are_added_up() {
    let model = |name: &str, outcomes: &[&str], successes: u64| {
        let before = format!("[Model: {name}.pth]");
        let trials = trials(&before, outcomes);
        format!("{trials}\n{before} Successful trials: {successes}, out of {} trials\n", outcomes.len())
    };
    let first = model("model_200", &["True", "True"], 2);
    let second = model("model_400", &["False", "True", "False"], 1);
    assert_eq!(
        summary(&format!("{first}{second}")),
        ("isaaclab-robomimic".into(), Some(5), None, "unknown"),
        "how many models there are is not known"
    );
    assert_eq!(metrics(&format!("{first}{second}"))["success_rate"], 0.6);
    let begun = format!("{first}{}", trials("[Model: model_400.pth]", &["False"]));
    assert_eq!(summary(&begun), ("isaaclab-robomimic".into(), Some(3), None, "unknown"));
    assert_eq!(metrics(&begun)["successes"], 2.0);
}
