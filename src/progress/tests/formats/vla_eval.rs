//! Logs of vla-eval.

use serde_json::json;

use crate::model::outcome::FailureReason;
use crate::progress::tests::any_cut::{metrics, read, summary};

fn line(level: &str, text: &str) -> String {
    format!("2026-04-01 06:15:22 {level:<8} vla_eval.orchestrator: {text}\n")
}

fn episode(done: u64, total: u64, outcome: &str) -> String {
    line("INFO", &format!("  [{done}/{total}] put [the] bowl: on the plate ep{done}: {outcome}"))
}

#[test]
fn episodes_are_numbered_within_the_shard() {
    let log = line("INFO", "Starting benchmark: libero_spatial (mode=sync)")
        + &line("INFO", "Shard 0/4: 4 episodes assigned")
        + &episode(1, 4, "SUCCESS (steps=97)")
        + &episode(2, 4, "FAIL (steps=220)")
        + &line("ERROR", "  [3/4] put the bowl on the plate ep7: ERROR")
        + "Traceback (most recent call last):\n  File \"e.py\", line 3, in f\nKeyError: 'x'\n";
    assert_eq!(summary(&log), ("vla-eval".into(), Some(3), Some(4), "failed"));
    let rest = line("WARNING", "  [4/4] put the bowl ep8: ConnectionClosed code=1006 reason=");
    let all = log + &rest + "  Overall                                    25.0%\n";
    assert_eq!(summary(&all), ("vla-eval".into(), Some(4), Some(4), "succeeded"));
    assert_eq!(
        metrics(&all),
        json!({"episodes": 4.0, "successes": 1.0, "errors": 2.0, "success_rate": 0.25}),
        "the summary counts episodes that ended with an error as failures"
    );
}

#[test]
fn an_aborted_benchmark_is_incomplete() {
    let log = episode(1, 9, "SUCCESS (steps=97)") + &episode(2, 9, "server unreachable, aborting benchmark");
    assert_eq!(summary(&log), ("vla-eval".into(), Some(2), Some(9), "incomplete"));
}

#[test]
fn benchmarks_after_one_another_add_up() {
    let begin = |name| line("INFO", &format!("Starting benchmark: {name} (mode=sync)"));
    let log = begin("libero_goal")
        + &episode(1, 2, "SUCCESS (steps=9)")
        + &episode(2, 2, "SUCCESS (steps=9)")
        + &begin("libero_10")
        + &episode(1, 3, "FAIL (steps=520)");
    assert_eq!(summary(&log), ("vla-eval".into(), Some(3), Some(5), "incomplete"));
}

#[test]
fn shards_in_one_log_are_counted_by_lines() {
    let mixed = episode(2, 4, "FAIL (steps=220)")
        + &episode(3, 4, "FAIL (steps=220)")
        + &episode(3, 4, "SUCCESS (steps=97)")
        + &episode(2, 4, "FAIL (steps=220)");
    assert_eq!(summary(&mixed), ("vla-eval".into(), Some(4), None, "unknown"));
    let shard = |index| line("INFO", &format!("Shard {index}/2: 4 episodes assigned"));
    assert_eq!(
        summary(&(shard(0) + &shard(1) + &mixed)),
        ("vla-eval".into(), Some(4), Some(8), "incomplete")
    );
}

#[test]
fn lines_of_others_recognise_nothing() {
    let others = "Episode 4: SUCCESS (steps= 144, reward=0.0)\n[OK] Task 3 Ep 5: SUCCESS (steps=201)\n\
                  [12/500] build ep: SUCCESS (steps=1)\n";
    assert_ne!(summary(others).0, "vla-eval");
}

const SUMMARY: &str = "============================================================\n\
    Benchmark: libero (mode: sync)\n  put the bowl                               50.0% (1/2)\n\
    ────────────────────────────────────────────────────────────\n  Overall                                   50.0%\n";

#[test]
fn a_shard_that_shares_a_queue_is_complete_with_its_summary() {
    let begin = line("INFO", "Starting benchmark: libero (mode=sync)");
    let log = begin.clone()
        + &episode(2, 9, "SUCCESS (steps=97)")
        + &episode(5, 9, "FAIL (steps=220)")
        + &episode(8, 9, "FAIL (steps=220)");
    assert_eq!(summary(&log), ("vla-eval".into(), Some(8), Some(9), "incomplete"));
    let whole = log.clone() + SUMMARY;
    assert_eq!(summary(&whole), ("vla-eval".into(), Some(3), Some(3), "succeeded"));
    let more = whole + &begin + &episode(1, 4, "FAIL (steps=220)") + &episode(3, 4, "FAIL (steps=220)");
    assert_eq!(summary(&(more.clone() + SUMMARY)), ("vla-eval".into(), Some(5), Some(5), "succeeded"));
    assert_eq!(summary(&more), ("vla-eval".into(), Some(6), Some(7), "incomplete"));
    let given_up = log + &line("ERROR", "Reconnect failed, aborting benchmark") + SUMMARY;
    assert_eq!(summary(&given_up), ("vla-eval".into(), Some(8), Some(9), "incomplete"));
}

#[test]
fn a_benchmark_that_was_given_up_stays_short_whatever_follows() {
    let begin = line("INFO", "Starting benchmark: libero (mode=sync)");
    let log = begin.clone()
        + &episode(1, 3, "server unreachable, aborting benchmark")
        + SUMMARY
        + &begin
        + &episode(1, 1, "SUCCESS (steps=97)")
        + SUMMARY;
    assert_eq!(summary(&log), ("vla-eval".into(), Some(2), Some(4), "incomplete"));
}

#[test]
fn the_watchdog_ends_what_hangs() {
    let words = "Progress watchdog: no progress for 1200s (phase: 'libero pick ep0') — process wedged; os._exit(124).";
    let log = episode(1, 9, "SUCCESS (steps=97)")
        + &format!("2026-04-01 06:15:22 CRITICAL vla_eval.watchdog: {words}\n");
    assert_eq!(summary(&log).3, "failed");
    assert_eq!(read(&log).cause.unwrap().reason, Some(FailureReason::Stalled));
    let armed = "vla_eval.watchdog: Progress watchdog armed: 1200s stall timeout.\n";
    assert!(read(armed).alerts.is_empty());
}
