//! Evaluations with Isaac Lab-Arena: single rollouts, several processes, and lists of jobs.

use serde_json::json;

use crate::progress::tests::any_cut::{metrics, read, summary};

fn bar(name: &str, done: u64, total: u64) -> String {
    format!("\r{name}:  {}%|██   | {done}/{total} [00:21<00:10,  1.32it/s]", 100 * done / total)
}

fn rollout(done: u64, total: u64) -> String {
    let after = |episode: u64| {
        let rate = 1.0 / episode as f64;
        let episodes = bar("Episodes", episode, total);
        format!("\r[Rank 0/1] Metrics: {{'success_rate': {rate}, 'num_episodes': {episode}}}\n{episodes}")
    };
    let start = "[Rank 0/1] Simulation length: 4 episodes\n[Rank 0/1] Starting rollout (4 episodes)\n";
    format!("{start}{}{}\n", bar("Episodes", 0, total), (1..=done).map(after).collect::<String>())
}

#[test]
fn a_rollout_counts_its_episodes_and_keeps_the_newest_metrics() {
    let whole = format!("{}[Rank 0/1] Metrics: {{'success_rate': 0.25, 'num_episodes': 4}}\n", rollout(4, 4));
    assert_eq!(summary(&whole), ("isaaclab-arena".into(), Some(4), Some(4), "succeeded"));
    assert_eq!(metrics(&whole), json!({"success_rate": 0.25, "episodes": 4.0}));
    assert_eq!(summary(&rollout(3, 4)), ("isaaclab-arena".into(), Some(3), Some(4), "incomplete"));
    assert_eq!(metrics(&rollout(2, 4))["success_rate"], 0.5);
    // More environments than episodes were left end at once.
    let more = format!("{}\rEpisodes: 5episode [00:21,  1.32episode/s]\n", rollout(3, 4));
    assert_eq!(summary(&format!("{more}[Rank 0/1] Metrics: {{'num_episodes': 5}}\n")).3, "succeeded");
}

#[test]
fn a_rollout_of_steps_counts_these() {
    let log = format!("[Rank 0/1] Starting rollout (300 steps)\n{}\n", bar("Steps", 120, 300));
    assert_eq!(summary(&log), ("isaaclab-arena".into(), Some(120), Some(300), "incomplete"));
    assert_eq!(read(&log).unit, "steps");
    let end = format!(
        "{log}{}\n[Rank 0/1] Metrics: {{'success_rate': 1.0, 'moved_rate': 0.5}}\n",
        bar("Steps", 300, 300)
    );
    assert_eq!(summary(&end).3, "succeeded");
    assert_eq!(metrics(&end), json!({"success_rate": 1.0, "moved_rate": 0.5}));
}

#[test]
fn of_several_processes_the_first_speaks() {
    let log = "[Rank 1/2] Starting rollout (2 episodes)\n[Rank 0/2] Metrics: {'success_rate': 1.0, 'num_episodes': 2}\n\
               [Rank 1/2] Metrics: {'success_rate': 0.0, 'num_episodes': 2}\n";
    assert_eq!(metrics(log), json!({"success_rate": 1.0, "episodes": 2.0}));
}

const JOBS: &str = "+------+---------+-------------+-----------+\n| Job Name | Status | Policy Type | Num Steps |\n\
                    | door | pending | zero_action | 100 |\n| cup | pending | zero_action | 100 |\n";
const JOB_SUMMARY: &str = "======\nMETRICS SUMMARY\n======\n\ncup:\n  num_episodes                            3\n  \
                           success_rate                       1.0000\n\ndoor:\n  \
                           num_episodes                            1\n  success_rate                       0.0000\n======\n";

#[test]
fn jobs_are_over_with_their_summary() {
    let rolled = format!("{JOBS}{}{}", rollout(4, 4), bar("Episodes", 4, 4));
    assert_eq!(summary(&rolled), ("isaaclab-arena".into(), Some(0), Some(2), "incomplete"));
    let over = format!("{rolled}\n{JOB_SUMMARY}");
    assert_eq!(summary(&over), ("isaaclab-arena".into(), Some(2), Some(2), "succeeded"));
    assert_eq!(metrics(&over), json!({"success_rate": 0.75, "episodes": 4.0}));
    let failed = "Job cup failed with error: out of range\nTraceback: Traceback (most recent call last):\n  \
                  File \"eval_runner.py\", line 9, in main\nValueError: out of range\n";
    assert_eq!(summary(&format!("{rolled}\n{failed}{JOB_SUMMARY}")).3, "failed");
}

#[test]
fn chunks_of_jobs_are_counted() {
    let chunk = |number: u64| {
        let one = "| door | pending | zero_action | 100 |\n";
        format!("[eval_runner] chunk {number}/2: jobs 0..1\n{one}{}\n{JOB_SUMMARY}", bar("Episodes", 3, 3))
    };
    assert_eq!(summary(&chunk(1)), ("isaaclab-arena".into(), Some(1), Some(2), "incomplete"));
    let both = format!("{}{}", chunk(1), chunk(2));
    assert_eq!(summary(&both), ("isaaclab-arena".into(), Some(2), Some(2), "succeeded"));
}
