//! Lines such as `Episode 3/100 success=1`: what they prove, and what lies within something larger.

use std::fmt::Write;

use crate::progress::tests::any_cut::{metrics, read, summary};

fn episodes(range: impl IntoIterator<Item = u64>, total: u64, behind: &str) -> String {
    range.into_iter().fold(String::new(), |mut log, index| {
        writeln!(log, "Episode {index}/{total}{behind}").unwrap();
        log
    })
}

fn told(log: &str) -> (u64, u64, &'static str) {
    let (preset, done, total, verdict) = summary(log);
    assert_eq!(preset, "episode", "{log}");
    (done.unwrap(), total.unwrap(), verdict)
}

#[test]
fn one_round_of_them_proves_its_end_and_its_shortfall() {
    assert_eq!(told(&episodes(1..=5, 5, ": success")), (5, 5, "succeeded"));
    assert_eq!(told(&episodes(1..=3, 5, ": success")), (3, 5, "incomplete"));
    assert_eq!(told("[eval] episode 2 / 2: reward=3\n"), (2, 2, "succeeded"));
    assert_eq!(told("Finished Episode 2 of 3\n"), (2, 3, "incomplete"));
    assert_eq!(told(&episodes(0..5, 5, " | reward: 1.0")), (5, 5, "succeeded"), "counted from zero");
}

#[test]
fn another_round_of_them_leaves_open_how_many_come() {
    let round = episodes(1..=5, 5, ": success");
    assert_eq!(told(&round.repeat(2)), (5, 5, "unknown"));
    assert_eq!(told(&(round.clone() + &episodes(1..=2, 5, ": success"))), (2, 5, "unknown"));
    assert_eq!(told(&(round + &episodes([6], 6, ": success"))), (6, 6, "unknown"), "another total");
    assert_eq!(told(&episodes([1, 1, 2, 2, 3], 3, ": success")), (3, 3, "unknown"), "workers in step");
    assert_eq!(told(&episodes([1, 2, 1, 3, 2, 3], 3, " reward=1")), (3, 3, "unknown"), "two workers");
}

#[test]
fn episodes_of_a_task_end_before_the_work_does() {
    let first = format!("Task 1/3: stack the cubes\n{}", episodes(1..=5, 5, ": success"));
    assert_eq!(told(&first), (5, 15, "unknown"));
    let setup = format!("Task 1/1 finished\n{}", episodes(1..=5, 5, ": success"));
    assert_eq!(told(&setup), (5, 5, "succeeded"), "what was over before holds nothing");
    let steps = format!("step 100/400\nstep 200/400\n{}", episodes(1..=3, 5, ": success"));
    assert_eq!(told(&steps), (3, 5, "incomplete"), "steps lie within an episode");
}

#[test]
fn what_has_only_begun_is_not_over() {
    let begun = "Episode 1/2: success\nStarting episode 2/2\n";
    assert_eq!(told(begun), (1, 2, "incomplete"));
    assert_eq!(told("Episode 1/2: success\n=== Episode 2/2 ===\n"), (1, 2, "incomplete"));
    let heads = |last| (1..=last).map(|i| format!("Episode {i}/4\nstep 10\nstep 20\n")).collect::<String>();
    assert_eq!((told(&heads(4)), told(&heads(2))), ((4, 4, "unknown"), (2, 4, "incomplete")));
}

#[test]
fn every_tenth_line_may_be_the_last_before_the_end() {
    let tenth = |last| episodes((10..=last).step_by(10), 505, " reward=3.0");
    assert_eq!((told(&tenth(500)), told(&tenth(300))), ((500, 505, "unknown"), (300, 505, "incomplete")));
    assert_eq!(metrics(&tenth(500)), serde_json::json!({}), "a sample has no mean of all");
}

#[test]
fn a_success_rate_needs_the_outcome_of_every_episode() {
    let all = episodes(1..=2, 4, ": success") + &episodes(3..=4, 4, ": failure");
    let expected = serde_json::json!({"episodes": 4.0, "successes": 2.0, "success_rate": 0.5});
    assert_eq!(metrics(&all), expected);
    for unclear in [": not a success", ": partial success 0.5", " | total success: 1"] {
        assert_eq!(metrics(&episodes(1..=2, 4, unclear)), serde_json::json!({"episodes": 2.0}), "{unclear}");
    }
    let some = episodes(1..=2, 3, " success=1") + &episodes([3], 3, " reward=1");
    let reading = read(&some);
    assert_eq!(reading.metrics.get("episodes"), Some(&3.0));
    assert!(!reading.metrics.contains_key("success_rate") && !reading.metrics.contains_key("successes"));
}
