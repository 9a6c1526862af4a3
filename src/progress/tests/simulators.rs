//! Consoles of simulators: what they print beside the work, while they load and while they are closed.

use super::any_cut::read;
use crate::progress::reading::LogSummary;
use crate::progress::scan::reading::scan_json;

const THROWN: &str = "Traceback (most recent call last):\n  File \"eval.py\", line 9, in <module>\n    main()\n\
                      TypeError: expected a tensor\n";
const DESTROYED: &str = "Exception ignored in: <function Menu.__del__ at 0x7f00>\nTraceback (most recent call last):\n  \
                         File \"/kit/menu.py\", line 103, in __del__\n  File \"/kit/menu.py\", line 98, in destroy\n\
                         TypeError: 'NoneType' object is not callable\n";
const CRASHED: &str = "Segmentation fault (core dumped)\n";

fn judged(log: &str) -> (String, Option<String>) {
    let scanned = scan_json(&read(log));
    (scanned["verdict"].as_str().unwrap().into(), scanned["reason"].as_str().map(Into::into))
}

fn is(verdict: &str, reason: &str) -> (String, Option<String>) {
    (verdict.into(), Some(reason.into()))
}

fn alerts(reading: &LogSummary) -> Vec<(&str, u64)> {
    reading.alerts.iter().map(|alert| (alert.kind.as_str(), alert.count)).collect()
}

#[test]
fn what_is_destroyed_after_an_exception_does_not_hide_it() {
    let log = format!("{THROWN}{}{CRASHED}", DESTROYED.repeat(30));
    assert_eq!(judged(&log), is("failed", "exception"));
    assert_eq!(read(&log).ending_exception().unwrap().line, 4);
    assert_eq!(judged(&DESTROYED.repeat(30)), ("unknown".into(), None));
    assert_eq!(judged(&format!("{DESTROYED}{CRASHED}")), is("failed", "signal"));
}

#[test]
fn a_crash_at_close_is_not_the_cause_of_the_exception_before_it() {
    let frames = "0: libcarb.so!frame\n".repeat(80);
    assert_eq!(judged(&format!("{THROWN}{CRASHED}{frames}")), is("failed", "exception"));
    let missing = "Traceback (most recent call last):\n  File \"eval.py\", line 1, in <module>\n\
                   ModuleNotFoundError: No module named 'gym'\n";
    assert_eq!(judged(&format!("{missing}{CRASHED}")), is("failed", "exception"));
    let long_before = format!("{THROWN}{}", "[INFO] at work\n".repeat(80));
    assert_eq!(judged(&format!("{long_before}{CRASHED}")), is("failed", "signal"));
}

#[test]
fn an_extension_that_does_not_load_ends_nothing() {
    let kit = "2026-04-04T03:09:20Z [15,695ms] [Error] [omni.ext._impl._internal] Failed to import python module a.bridge. \
               Error: No module named 'rclpy'. Traceback:\nTraceback (most recent call last):\n  \
               File \"/kit/_internal.py\", line 196, in _importer\n    return import(name)\n\
               ModuleNotFoundError: No module named 'rclpy'\n\n\
               During handling of the above exception, another exception occurred:\n\n\
               Traceback (most recent call last):\n  File \"/kit/_internal.py\", line 199, in _importer\nImportError: no\n\
               [Error] [omni.ext.plugin] [ext: a.bridge-4.1] Failed to startup python extension.\n";
    assert_eq!(judged(kit), ("unknown".into(), None));
    assert_eq!(alerts(&read(kit)), [("traceback", 2), ("missing-library", 1)]);
    assert_eq!(judged(&format!("{kit}{THROWN}")), is("failed", "exception"));
    let unawaited = "Task exception was never retrieved\nfuture: <Task finished name='Task-2' coro=<f()>>\n";
    assert_eq!(judged(&format!("{unawaited}{THROWN}")), ("unknown".into(), None));
    assert_eq!(judged(&format!("{unawaited}{}{THROWN}", "a\n".repeat(20))), is("failed", "exception"));
}

#[test]
fn a_bar_that_is_closed_by_an_exception_does_not_hide_it() {
    let bar = |done: u32| format!("\r {done:>2}%|▏         | {done}/100 [00:00<00:09,  9.9it/s]");
    let last = format!("{}\n{THROWN}{}\n", bar(1), bar(3));
    assert_eq!(judged(&last), is("failed", "exception"));
    assert_eq!(read(&last).progress.map(|progress| progress.done), Some(3));
    assert_eq!(judged(&format!("{last}{}\n", bar(4))), ("unknown".into(), None));
}

#[test]
fn an_exception_may_have_many_lines_to_say() {
    let rows = "        [nan, nan],\n".repeat(80);
    let thrown = THROWN.replace("expected a tensor", "found invalid values:\ntensor([[nan, nan],");
    assert_eq!(judged(&format!("{thrown}{rows}")), is("failed", "exception"));
    assert_eq!(judged(&format!("{thrown}{}", "going on\n".repeat(80))), ("unknown".into(), None));
}
