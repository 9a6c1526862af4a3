//! How attempts end and what is recorded of it.

use std::fmt::Write as _;
use std::fs;

use sweepdeck::model::attempt::AttemptEnd;
use sweepdeck::rundir::{lock, records};

use crate::attempt::{Attempt, program, status, text};

fn launch_error(attempt: Attempt) -> String {
    let attempt = attempt.start();
    let record = attempt.exit();
    assert_eq!((record.started, record.usage), (None, None));
    assert!(!attempt.dir.started_json().exists());
    match record.end {
        AttemptEnd::LaunchError { message } => message,
        other => panic!("no launch error: {other:?}"),
    }
}

#[test]
fn the_exit_code_is_recorded() {
    let attempt = Attempt::script("echo hello; exit 7").start();
    let record = attempt.exit();
    assert_eq!(status(&record).code(), Some(7));
    assert_eq!(attempt.log(), "hello\r\n");
    assert_eq!((record.lost_log_bytes, record.leftovers), (0, vec![]));
    assert!(record.started.is_some_and(|started| started <= record.ended));
    assert!(record.usage.is_some_and(|usage| usage.max_rss.0 > 100_000));
}

#[test]
fn the_signal_is_recorded() {
    let attempt = Attempt::script("kill -SEGV $$").start();
    assert_eq!(status(&attempt.exit()).signal(), Some(11));
}

#[test]
fn the_holder_ends_with_its_attempt_and_takes_its_socket_along() {
    let mut attempt = Attempt::of(&["true"]).start();
    attempt.exit();
    assert!(attempt.holder().wait().unwrap().success());
    assert!(!attempt.order.socket.exists());
    assert!(lock::try_lock(&attempt.dir.holder_lock()).unwrap().is_some());
}

#[test]
fn a_missing_program_is_a_launch_error() {
    let message = launch_error(Attempt::of(&["no-such-program", "--help"]));
    assert!(message.starts_with("program `no-such-program` was not found in PATH ("), "{message}");
    let message = launch_error(Attempt::of(&["./no-such-program"]));
    assert!(message.starts_with("program `./no-such-program` does not exist"), "{message}");
}

#[test]
fn a_missing_working_directory_is_a_launch_error() {
    let mut attempt = Attempt::of(&["true"]);
    attempt.order.cwd = "/no/such/folder".into();
    assert_eq!(launch_error(attempt), "working directory `/no/such/folder` does not exist");
}

#[test]
fn a_file_that_is_no_program_is_a_launch_error_and_is_not_fed_to_a_shell() {
    let mut attempt = Attempt::of(&["x"]);
    let path = program(attempt.folder().join("broken"), b"touch was-run\n", 0o755);
    attempt.order.argv = vec![text(&path).to_owned()];
    let ran = attempt.folder().join("was-run");
    let message = launch_error(attempt);
    assert_eq!(
        message,
        format!("`{}` is not a program this machine can run (exec format error)", path.display())
    );
    assert!(!ran.exists());
}

#[test]
fn a_file_that_may_not_be_executed_is_a_launch_error() {
    let mut attempt = Attempt::of(&["./plain"]);
    program(attempt.folder().join("plain"), b"#!/bin/sh\n", 0o644);
    attempt.order.nice = 0;
    let message = launch_error(attempt);
    assert!(message.starts_with("`./plain` may not be executed (permission denied)"), "{message}");
}

#[test]
fn a_missing_interpreter_is_named_as_such() {
    let attempt = Attempt::of(&["./script"]);
    program(attempt.folder().join("script"), b"#!/no/such/python\n", 0o755);
    let message = launch_error(attempt);
    assert!(message.contains("names an interpreter that was not found"), "{message}");
}

#[test]
fn an_order_that_does_not_read_is_a_launch_error() {
    let attempt = Attempt::of(&["true"]);
    fs::write(attempt.dir.order_json().full_path(), "{").unwrap();
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_sweepdeck"))
        .arg("hold")
        .arg(attempt.dir.path())
        .status()
        .unwrap();
    assert!(status.success());
    assert!(
        matches!(attempt.exit().end, AttemptEnd::LaunchError { message } if message.contains("order.json"))
    );
}

#[test]
fn an_attempt_that_has_ended_is_never_run_again() {
    let attempt = Attempt::script("echo run >> runs");
    records::write_once(&attempt.dir.exit_json(), &"the first end").unwrap();
    let mut attempt = attempt.start();
    assert_eq!(attempt.holder().wait().unwrap().code(), Some(1));
    assert!(!attempt.folder().join("runs").exists());
    assert_eq!(records::read_record::<String>(&attempt.dir.exit_json()).unwrap(), "the first end");
}

#[test]
fn an_attempt_whose_lock_is_held_is_not_started() {
    let attempt = Attempt::script("echo run >> runs");
    let _lock = lock::try_lock(&attempt.dir.holder_lock()).unwrap().unwrap();
    let mut attempt = attempt.start();
    assert_eq!(attempt.holder().wait().unwrap().code(), Some(1));
    assert!(!attempt.folder().join("runs").exists());
    assert!(!attempt.dir.exit_json().exists());
}

#[test]
fn a_flood_of_output_is_in_the_log_byte_for_byte() {
    const LINES: u32 = 3_000_000;
    let attempt = Attempt::of(&["seq", "1", &LINES.to_string()]).start();
    assert_eq!(status(&attempt.exit()).code(), Some(0));
    let mut expected = String::new();
    for line in 1..=LINES {
        write!(expected, "{line}\r\n").unwrap();
    }
    assert!(
        attempt.log() == expected,
        "the log of {} bytes differs from {}",
        attempt.log().len(),
        expected.len()
    );
}

#[test]
fn the_last_words_of_a_program_are_never_cut() {
    for _ in 0..20 {
        let attempt = Attempt::of(&["seq", "1", "300"]).start();
        attempt.exit();
        assert!(attempt.log().ends_with("\r\n300\r\n"));
    }
}

#[test]
fn a_disk_without_room_costs_log_bytes_and_not_the_attempt() {
    // A limit on the size of files stands in for the disk: the write fails in the same way, and SIGXFSZ comes too.
    let attempt = Attempt::of(&["sh", "-c", "seq 1 100000; exit 5"]).start_after("ulimit -f 128");
    let record = attempt.exit();
    assert_eq!(status(&record).code(), Some(5));
    let written = fs::metadata(attempt.dir.output_log().full_path()).unwrap().len();
    let all: u64 = (1..=100_000_u64).map(|line| line.to_string().len() as u64 + 2).sum();
    assert_eq!(record.lost_log_bytes + written, all);
    assert!(record.lost_log_bytes > 0);
}

#[test]
fn the_program_gets_a_terminal_its_variables_and_clean_signals() {
    let mut attempt = Attempt::script(
        "tty -s && echo terminal; stty size; echo $MINE $SWEEPDECK_SHARD $SWEEPDECK_ATTEMPT; pwd; \
         grep -E 'Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd | tr '\\n' ' '; cat /proc/self/oom_score_adj",
    );
    attempt.order.env.insert("MINE".to_owned(), "a b".to_owned());
    let own_score = fs::read_to_string("/proc/self/oom_score_adj").unwrap();
    let attempt = attempt.start();
    attempt.exit();
    let log = attempt.log().replace("\r\n", "\n");
    let expected = format!(
        "terminal\n40 160\na b shard 1\n{}\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n0 1 2 3 {own_score}",
        attempt.folder().display()
    );
    assert_eq!(log, expected);
}

#[test]
fn a_background_process_gets_time_to_finish_and_is_then_ended_and_named() {
    let script = "(trap '' HUP INT TERM; exec sleep 600) & \
                  while [ $(cat /proc/$!/comm) != sleep ]; do :; done; exit 3";
    let mut attempt = Attempt::script(script);
    attempt.order.grace = crate::attempt::grace(0, 0);
    let attempt = attempt.start();
    let record = attempt.exit();
    assert_eq!(status(&record).code(), Some(3));
    let names: Vec<&str> = record.leftovers.iter().map(|left| left.name.as_str()).collect();
    assert_eq!(names, ["sleep"]);
    assert!(!record.leftovers[0].unkillable);
    crate::attempt::wait_until_gone(record.leftovers[0].pid);
}

#[test]
fn a_background_process_that_finishes_in_time_is_not_worth_a_word() {
    let script = "(trap '' HUP; echo > ready; read x < fifo; echo late > late) & \
                  while [ ! -e ready ]; do :; done; exit 0";
    let mut attempt = Attempt::script(script);
    attempt.order.linger = crate::attempt::PATIENCE;
    rustix::fs::mknodat(
        rustix::fs::CWD,
        attempt.folder().join("fifo"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    let attempt = attempt.start();
    crate::attempt::wait_until_gone(attempt.started().child.pid);
    assert!(!attempt.dir.exit_json().exists(), "the end is recorded when all are gone");
    fs::write(attempt.folder().join("fifo"), "go\n").unwrap();
    let record = attempt.exit();
    assert_eq!((status(&record).code(), record.leftovers), (Some(0), vec![]));
    assert!(attempt.folder().join("late").exists());
}
