//! Exceptions and ends that the program has outlived: they explain nothing that comes long after.

use std::fmt::Write;

use super::any_cut::read;
use crate::progress::scan::reading::ScanVerdict;

const THROWN: &str =
    "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nTypeError: no answer\n";

fn verdict(log: &str) -> &'static str {
    ScanVerdict::of(&read(log)).as_str()
}

fn step(number: u64) -> String {
    format!("step:{number} - actor/pg_loss:0.1 - critic/score/mean:0.5\n")
}

/// A worker of a training fails on some samples, with other numbers each time, and the training goes on.
fn worker_that_fails(behind: &str) -> String {
    let mut log = step(1);
    for process in 20..24 {
        let failure: String = THROWN.lines().map(|line| format!("(Loop pid={process}) {line}\n")).collect();
        write!(log, "{failure}{failure}{}", step(process - 18)).unwrap();
        if process == 23 {
            log += &failure;
        }
    }
    log + behind
}

#[test]
fn an_exception_that_was_outlived_again_and_again_is_no_end() {
    let words = "the next sample\n".repeat(6);
    assert_eq!(verdict(&worker_that_fails(&words)), "unknown");
    assert_eq!(verdict(&worker_that_fails("")), "failed", "the log ends with it");
    let other = format!("{}{}{words}", worker_that_fails(""), THROWN.replace("TypeError", "KeyError"));
    assert_eq!(verdict(&other), "failed", "another one is no habit");
    assert_eq!(verdict(&format!("{}{THROWN}{words}", step(1))), "failed", "nor is the first one");
}

#[test]
fn what_ended_one_run_is_not_what_ends_the_next() {
    let launched = "nohup: ignoring input\n";
    let crashed = format!("{launched}{THROWN}");
    assert_eq!(verdict(&crashed), "failed");
    let again = format!("{crashed}{launched}loading the policy\n");
    assert_eq!(verdict(&again), "unknown");
    assert_eq!(read(&again).runs(), 2);
    assert_eq!(verdict(&format!("{again}{THROWN}")), "failed");
}

#[test]
fn what_another_job_appends_to_a_log_is_not_ended_by_the_one_before() {
    let cancelled = "slurmstepd: error: *** JOB 42 ON n1 CANCELLED AT 2026-01-06T13:31:01 ***\n";
    let first = format!("{THROWN}{cancelled}");
    assert_eq!(verdict(&first), "failed");
    let short = format!("{first}{}", "compiling a kernel\n".repeat(20));
    assert_eq!(verdict(&short), "failed", "that may be its end");
    let later = format!("{first}{}Success rate: 18.0%\n", "compiling a kernel\n".repeat(1200));
    assert_eq!(verdict(&later), "unknown");
    assert_eq!(read(&later).metrics.get("success_rate"), Some(&0.18));
}
