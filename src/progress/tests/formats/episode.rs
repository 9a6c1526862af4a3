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
fn a_rate_behind_the_last_of_them_is_that_of_all_where_they_do_not_say_how_they_ended() {
    let rate = "Results\n  success_rate        : 0.2500\n  n_episodes          : 4\n";
    let read = |log: String| metrics(&log)["success_rate"].as_f64();
    assert_eq!(read(episodes(1..=4, 4, " reward=0.5") + rate), Some(0.25));
    assert_eq!(read(episodes(1..=3, 4, " reward=0.5") + rate), None, "one of them is missing");
    assert_eq!(read(episodes(1..=4, 4, " reward=0.5 success=1") + rate), Some(1.0));
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
    assert_eq!(told(&first), (5, 15, "incomplete"));
    let setup = format!("Task 1/1 finished\n{}", episodes(1..=5, 5, ": success"));
    assert_eq!(told(&setup), (5, 5, "succeeded"), "what was over before holds nothing");
    let steps = format!("step 100/400\nstep 200/400\n{}", episodes(1..=3, 5, ": success"));
    assert_eq!(told(&steps), (3, 5, "incomplete"), "steps lie within an episode");
}

#[test]
fn tasks_and_their_episodes_may_be_counted_on_one_line() {
    let task = |task: u64, last: u64| {
        (1..=last).fold(String::new(), |log, n| log + &format!("Task {task}/3 Episode {n}/5: success\n"))
    };
    let two = task(1, 5) + &task(2, 5);
    assert_eq!(told(&(two.clone() + &task(3, 1))), (11, 15, "incomplete"));
    assert_eq!(told(&(two.clone() + &task(3, 5))), (15, 15, "succeeded"));
    assert_eq!(told(&task(1, 5)), (5, 15, "incomplete"));
    assert_eq!(told(&(two + &task(1, 2))), (2, 15, "incomplete"), "started again");
}

#[test]
fn episodes_may_be_counted_on_from_task_to_task() {
    let task =
        |task: u64, last: u64| format!("Task {task}/3\n{}", episodes(task * 5 - 4..=last, 15, ": success"));
    let two = task(1, 5) + &task(2, 10);
    assert_eq!(told(&(two.clone() + &task(3, 11))), (11, 15, "incomplete"));
    assert_eq!(told(&(two + &task(3, 15))), (15, 15, "succeeded"));
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

#[test]
fn a_sum_behind_headings_says_how_many_there_were() {
    let log = "Starting training for 3 episodes...\nEpisode 1/3\n  Reward: 17.00, Length: 17\n=====\nTRAINING SUMMARY\n";
    assert_eq!(told(log), (0, 3, "incomplete"), "it has begun");
    let summed = format!("{log}Environment: CartPole-v1\nEpisodes: 3\nMean Reward: 20.00\n");
    assert_eq!(told(&summed), (3, 3, "unknown"), "it may be the setting of another run");
    assert_eq!(told(&log.replace("SUMMARY", "SUMMARY\nEpisodes: 2")), (0, 3, "incomplete"));
    let each = "Episode 1/3: reward=17\nEpisodes: 3\n";
    assert_eq!(told(each), (1, 3, "incomplete"), "each is printed");
}

#[test]
fn an_evaluation_within_a_training_is_not_its_end() {
    let steps = |range: std::ops::RangeInclusive<u64>| {
        range.fold(String::new(), |log, n| log + &format!("Step {n}000/45000, Loss: 0.{n}, ETA: 120.5m\n"))
    };
    let round = episodes(1..=20, 20, "... OK (0.4s)");
    assert_eq!(told(&round), (20, 20, "succeeded"));
    assert_eq!(told(&(steps(1..=5) + &round)), (20, 20, "unknown"), "steps are missing");
    assert_eq!(told(&(steps(1..=5) + &round + &steps(6..=9))), (9000, 45_000, "unknown"), "they go on");
    assert_eq!(told(&(round.clone() + &steps(1..=3))), (3000, 45_000, "unknown"));
    assert_eq!(told(&(steps(1..=5) + &round + &steps(6..=9) + &round)), (20, 20, "unknown"));
    assert_eq!(told(&(steps(43..=45) + &round)), (20, 20, "succeeded"), "all were made");
    let stepped = (1..=3).map(|n| format!("Step 10/400\nStep 153/400\nEpisode {n}/3: success\n"));
    assert_eq!(told(&stepped.collect::<String>()), (3, 3, "succeeded"), "each has steps");
    for before in ["Epoch {n}: loss=0.3 val=0.2", "Iteration {n} | loss 0.3", "Epoch {n}/10: loss=0.3"] {
        let trained: String = (1..=5).map(|n| before.replace("{n}", &n.to_string()) + "\n").collect();
        assert_eq!(told(&(trained.clone() + &round)), (20, 20, "unknown"), "{before}");
        let complete = trained + &round + "Training complete!\n";
        assert_eq!(told(&complete), (20, 20, "succeeded"), "{before}");
    }
    let bar: String =
        (1..=5).map(|n| format!("\rTraining:   {n}%|█   | {n}00/10000 [00:0{n}<30:00, 1.0s/it]")).collect();
    assert_eq!(told(&(bar + "\n" + &round)), (20, 20, "unknown"));
}

#[test]
fn tasks_in_headings_hold_their_episodes_and_outcomes_may_have_brackets() {
    let task = |n: u64| {
        format!(
            "--- Task {n}/10: put the bowl on the plate ---\n[INFO]   Episode 1/2: ❌ Fail (steps=608)\n[INFO]   Episode 2/2: ✅ Success (steps=94)\n"
        )
    };
    let log: String = (1..=10).map(task).collect();
    assert_eq!(told(&log), (20, 20, "succeeded"));
    assert_eq!(metrics(&log)["success_rate"], 0.5);
    assert_eq!(told(&task(1)), (2, 20, "incomplete"));
}

#[test]
fn the_heading_of_the_second_of_two_is_no_end() {
    let episode = |n: u64| {
        let step = |step: u64| format!("PPO Episode {n}, Step {step}/100: buffer 28\n");
        format!("start PPO Episode {n}/2\n{}{}", step(50), step(100))
    };
    let both = episode(1) + &episode(2);
    assert_ne!(summary(&both[..both.len() - 40]).3, "succeeded");
}

#[test]
fn a_last_line_that_begins_other_work_takes_the_end_back() {
    let round = episodes(1..=5, 5, ": success");
    for last in ["Training finished. Next: evaluation", "Seed 2", "[2/5] Evaluate", "Environment: Hopper-v4"]
    {
        assert_eq!(told(&format!("{round}{last}\n")), (5, 5, "unknown"), "{last}");
    }
    assert_eq!(told(&format!("{round}Seed 2: 0.85\n")), (5, 5, "succeeded"));
}
