//! Isaac Sim evaluations: counts that agree or do not, runs that go on, and what is odd about the episodes together.

use serde_json::{Value, json};

use crate::progress::scan::reading::scan_json;
use crate::progress::tests::any_cut::{metrics, read, summary};

/// As the program prints it; `metres` is the distance.
fn episode(number: u64, of: u64, outcome: &str, metres: f64) -> String {
    format!(
        "  [{number:>4}/{of}] stairs_rough_ep{:04}  {outcome:<8}  progress={metres:>5.1}m  zone=2  time=20.5s\r\n",
        number - 1
    )
}

fn episodes(numbers: std::ops::RangeInclusive<u64>, of: u64) -> String {
    numbers.map(|number| episode(number, of, "FELL", number as f64)).collect()
}

fn end(episodes: u64) -> String {
    format!(
        "\r\n====\r\n  Evaluation complete!\r\n  Total episodes: {episodes}\r\n  Total time:     61.3s (1.0min)\r\n"
    )
}

fn warnings(log: &str) -> Value {
    scan_json(&read(log))["warnings"].clone()
}

#[test]
fn the_summary_completes_a_log_only_where_the_lines_are_all_there() {
    let whole = format!("{}{}", episodes(1..=3, 3), end(3));
    assert_eq!(summary(&whole), ("isaac-eval".into(), Some(3), Some(3), "succeeded"));
    assert_eq!(metrics(&whole)["total_time_s"], 61.3);
    let lost = format!("{}{}", episodes(1..=2, 3), end(3));
    assert_eq!(summary(&lost), ("isaac-eval".into(), Some(2), Some(3), "incomplete"));
    assert!(read(&lost).finished.is_none());
    assert!(read(&episodes(1..=3, 3)).finished.is_none());
}

#[test]
fn a_resumed_run_counts_where_it_is_and_the_episodes_it_shows() {
    let log = format!("{}{}", episodes(3..=4, 4), end(4));
    assert_eq!(summary(&log), ("isaac-eval".into(), Some(4), Some(4), "succeeded"));
    assert_eq!(metrics(&log)["episodes"], 2.0);
    assert!(read(&log).finished.is_some());
}

#[test]
fn an_episode_that_is_there_again_replaces_the_first() {
    let log = format!(
        "{}Restarting\r\n{}{}",
        episodes(1..=3, 4),
        episode(3, 4, "COMPLETE", 49.5),
        episode(4, 4, "TIMEOUT", 7.5)
    );
    assert_eq!(summary(&log), ("isaac-eval".into(), Some(4), Some(4), "succeeded"));
    let expected = json!({
        "episodes": 4.0, "successes": 1.0, "success_rate": 0.25, "mean_progress_m": 15.0, "mean_time_s": 20.5,
        "outcome_FELL": 2.0, "outcome_COMPLETE": 1.0, "outcome_TIMEOUT": 1.0,
    });
    assert_eq!(metrics(&log), expected);
}

#[test]
fn relatives_count_scores_and_say_where_it_fell() {
    let log = "  [   1/2] ring_rough_ep0000  FELL R3     wps=12/54  rings=2/5  score= 40.0/500  time=12.5s\r\n  \
               [   2/2] ring_rough_ep0001  COMPLETE    wps=54/54  rings=5/5  score=500.0/500  time=80.5s\r\n  \
               5-Ring Gauntlet complete!\r\n  Total episodes: 2\r\n";
    assert_eq!(summary(log), ("isaac-eval".into(), Some(2), Some(2), "succeeded"));
    let expected = json!({
        "episodes": 2.0, "successes": 1.0, "success_rate": 0.5, "mean_score": 270.0, "mean_time_s": 46.5,
        "outcome_FELL": 1.0, "outcome_COMPLETE": 1.0,
    });
    assert_eq!(metrics(log), expected);
}

#[test]
fn lines_of_the_simulator_count_nothing() {
    let kit = "[1.165s] [ext: omni.kit.app-1.0] startup  time=1.0s\r\n\
               [Error] [omni.usd] [ 3/9] layer progress= 3.0m  time=2s\r\n  \
               [   1/9] is no TIMEOUT progress= 3.0m zone=1 time=2.0s\r\n  [ROUGH act] eval=0 cmd=[0.1/2]  time=1s\r\n";
    assert_eq!(read(kit).preset, None);
    let log = format!("{kit}{}{kit}", episodes(1..=2, 2));
    assert_eq!(metrics(&log)["episodes"], 2.0);
}

#[test]
fn a_torn_line_is_no_episode() {
    let log = episodes(1..=2, 2);
    let torn = &log[..log.rfind("s\r\n").unwrap()];
    assert_eq!(summary(torn), ("isaac-eval".into(), Some(1), Some(2), "incomplete"));
}

#[test]
fn most_episodes_at_one_distance_are_worth_a_remark() {
    let alike = |alike: u64, outcome: &str, of: u64| -> String {
        (1..=of)
            .map(|number| match number <= alike {
                true => episode(number, of, outcome, 39.5),
                false => episode(number, of, "FELL", 20.0 + number as f64),
            })
            .collect()
    };
    let log = alike(17, "TIMEOUT", 20);
    assert_eq!(warnings(&log), json!(["17 of 20 episodes ended at exactly 39.5 m"]));
    assert_eq!(summary(&log).3, "succeeded");
    assert_eq!(warnings(&alike(10, "TIMEOUT", 20)), json!([]), "half of them may be chance");
    assert_eq!(warnings(&alike(9, "TIMEOUT", 9)), json!([]), "so few may be chance");
    assert_eq!(warnings(&alike(20, "COMPLETE", 20)), json!([]), "the course ends there");
    let at_the_end_of_the_course = alike(17, "TIMEOUT", 20).replacen("TIMEOUT ", "COMPLETE", 1);
    assert_eq!(warnings(&at_the_end_of_the_course), json!([]));
    let all_fell: String = (1..=20).map(|number| episode(number, 20, "FELL", number as f64 / 2.0)).collect();
    assert_eq!(warnings(&all_fell), json!([]), "that no episode succeeds is a result");
}

#[test]
fn an_episode_that_stood_still_for_all_its_time_is_named() {
    let fell_at_once = episode(1, 8, "FELL", 0.0);
    let log = format!("{fell_at_once}{}{}", episode(2, 8, "TIMEOUT", 0.2), episode(5, 8, "TIMEOUT", 0.1));
    assert_eq!(warnings(&log), json!(["1 episode never moved (0.1 m): ep4"]));
    let many: String = (2..=8).map(|number| episode(number, 8, "TIMEOUT", 0.0)).collect();
    assert_eq!(
        warnings(&format!("{fell_at_once}{many}")),
        json!(["7 episodes never moved (0.0 m): ep1, ep2, ep3, ep4, ep5, …"])
    );
    let again = format!("{log}{}", episode(5, 8, "TIMEOUT", 12.0));
    assert_eq!(warnings(&again), json!([]));
}

#[test]
fn the_line_that_is_not_a_number_proves_it() {
    let log = format!("{}{}", episodes(1..=2, 3), episode(3, 3, "FELL", f64::NAN));
    let reading = read(&log);
    let said = reading.remarks.values().next().expect("the mean is spoiled");
    assert!(
        said.proof.as_ref().is_some_and(|proof| proof.line == 3 && proof.text.contains("NaN")),
        "{said:?}"
    );
    assert!(!reading.metrics.contains_key("mean_progress_m") && reading.metrics["mean_time_s"] == 20.5);
}

#[test]
fn only_metres_are_a_distance_and_times_have_units() {
    let line = |progress: &str, time: &str| {
        format!("  [   1/1] a_ep0000  SUCCESS   progress= {progress}  zone=2  time={time}\n")
    };
    let mean = |log: String| (metrics(&log)["mean_progress_m"].clone(), metrics(&log)["mean_time_s"].clone());
    assert_eq!(mean(line("39.5m", "20.5s")), (json!(39.5), json!(20.5)));
    assert_eq!(mean(line("79%", "1.5min")), (json!(null), json!(90.0)));
    assert_eq!(mean(line("0.79", "1m30s")), (json!(null), json!(null)));
    assert_eq!(metrics(&line("0.79", "1m30s"))["outcome_SUCCESS"], 1.0);
    let sum = |total: &str| {
        metrics(&format!("{}  Total time:     {total}\n", line("1.0m", "2s")))["total_time_s"].clone()
    };
    assert_eq!(
        (sum("61.3s (1.0min)"), sum("0:01:01"), sum("1.5 min")),
        (json!(61.3), json!(null), json!(90.0))
    );
}

#[test]
fn the_settings_tell_how_many_episodes_are_to_come() {
    let settings = "====\r\n  Capstone Evaluation\r\n  Environment: stairs\r\n  Policy:      rough\r\n  Episodes:    3\r\n";
    assert_eq!(summary(settings), ("isaac-eval".into(), Some(0), Some(3), "incomplete"));
    assert_eq!(metrics(settings), json!({}));
    let whole = format!("{settings}{}{}", episodes(1..=3, 3), end(3));
    assert_eq!(summary(&whole).3, "succeeded");
    assert_eq!(summary(&format!("{whole}{settings}")).3, "incomplete", "a second one began and did nothing");
    assert_eq!(read("  Episodes:    3\r\n").preset, None);
}
