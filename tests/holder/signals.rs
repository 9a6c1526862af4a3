//! Pause, resume and stop reach every process of an attempt.

use std::fs;
use std::process::Command;

use sweepdeck::model::command::{HolderReply, HolderRequest};
use sweepdeck::process::stat::{self, ProcessState};
use sweepdeck::process::tag::AttemptTag;
use sweepdeck::socket::error::SocketError;
use sweepdeck::socket::holder_client;

use crate::attempt::{Attempt, PATIENCE, grace, lives, status, wait_until, wait_until_gone};

/// A main process, a child in its group and a grandchild in a session of its own that ignores all but SIGKILL.
const FAMILY: &str = "trap 'echo interrupted; exit 4' INT
setsid sh -c 'trap \"\" HUP INT TERM; echo $$ > stubborn; while :; do sleep 0.1; done' &
sh -c 'echo $$ > plain; exec sleep 600' &
while :; do sleep 0.1; done";

/// A shell whose child was stopped between fork and exec waits for it in the kernel (D): it does not run either.
fn wait_until_stopped(pid: u32) {
    let rests = |state| matches!(state, ProcessState::Stopped | ProcessState::Uninterruptible);
    wait_until("a stopped process", || stat::read_stat(pid).filter(|stat| rests(stat.state)));
}

fn wait_until_going(pid: u32) {
    wait_until("a process that goes on", || {
        stat::read_stat(pid).filter(|stat| stat.state == ProcessState::Alive)
    });
}

#[test]
fn a_stop_is_polite_first_and_leaves_nobody() {
    let attempt = Attempt::script(FAMILY).start();
    let (stubborn, plain) = (attempt.pid_in("stubborn"), attempt.pid_in("plain"));
    assert_eq!(attempt.ask(HolderRequest::Stop(grace(20, 0))), HolderReply::Accepted);
    attempt.wait_for_log("interrupted");
    // One that is on its way out may be gone before what is killed beside it.
    wait_until_gone(attempt.started().child.pid);
    // Being asked again to be quick, it does not wait for the one that ignores it.
    attempt.ask(HolderRequest::Stop(grace(0, 0)));
    let record = attempt.exit();
    assert_eq!(status(&record).code(), Some(4));
    wait_until_gone(stubborn);
    wait_until_gone(plain);
    assert!(record.leftovers.iter().any(|left| left.pid == stubborn), "{:?}", record.leftovers);
}

#[test]
fn a_program_that_ignores_everything_is_killed() {
    let attempt = Attempt::script("trap '' HUP INT TERM; echo deaf; while :; do sleep 0.1; done").start();
    attempt.wait_for_log("deaf");
    attempt.ask(HolderRequest::Stop(grace(0, 0)));
    assert_eq!(status(&attempt.exit()).signal(), Some(9));
}

#[test]
fn nobody_is_interrupted_twice() {
    let script = "trap 'echo interrupted' INT; echo ready; while [ ! -e done ]; do sleep 0.1; done; exit 0";
    let attempt = Attempt::script(script).start();
    attempt.wait_for_log("ready");
    attempt.ask(HolderRequest::Stop(grace(60, 60)));
    attempt.wait_for_log("interrupted");
    fs::write(attempt.folder().join("done"), "").unwrap();
    assert_eq!(status(&attempt.exit()).code(), Some(0));
    assert_eq!(attempt.log().matches("interrupted").count(), 1);
}

#[test]
fn a_pause_stops_all_and_a_resume_lets_all_go_on() {
    let attempt = Attempt::script(FAMILY).start();
    let family = [attempt.started().child.pid, attempt.pid_in("stubborn"), attempt.pid_in("plain")];
    assert_eq!(attempt.ask(HolderRequest::Pause), HolderReply::Accepted);
    for pid in family {
        wait_until_stopped(pid);
    }
    assert_eq!(attempt.ask(HolderRequest::Resume), HolderReply::Accepted);
    for pid in family {
        wait_until_going(pid);
    }
}

#[test]
fn what_is_let_go_on_by_somebody_else_is_stopped_again() {
    let attempt =
        Attempt::script("trap 'echo went on' CONT; echo ready; while :; do read line; done").start();
    attempt.wait_for_log("ready");
    let main = attempt.started().child.pid;
    attempt.ask(HolderRequest::Pause);
    wait_until_stopped(main);
    let pid = rustix::process::Pid::from_raw(main as i32).unwrap();
    // The holder may be so quick that the program has had no time to say a word.
    wait_until("a word", || {
        rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
        attempt.log().contains("went on").then_some(())
    });
    wait_until_stopped(main);
}

#[test]
fn a_paused_attempt_is_stopped_politely_too() {
    let attempt = Attempt::script(FAMILY).start();
    let stubborn = attempt.pid_in("stubborn");
    attempt.ask(HolderRequest::Pause);
    wait_until_stopped(stubborn);
    attempt.ask(HolderRequest::Stop(grace(20, 0)));
    attempt.wait_for_log("interrupted");
    attempt.ask(HolderRequest::Stop(grace(0, 0)));
    assert_eq!(status(&attempt.exit()).code(), Some(4));
    wait_until_gone(stubborn);
}

#[test]
fn a_stray_that_somebody_else_started_is_found_by_its_tag() {
    let attempt = Attempt::script("echo ready; exec sleep 600").start();
    attempt.wait_for_log("ready");
    let tag = AttemptTag::new(&attempt.order.run_dir, &attempt.order.key);
    // A shell that starts the tests in the background has them ignore SIGINT.
    let stray = ["--default-signal=INT", "sleep", "600"];
    let mut stray = Command::new("env").args(stray).envs(tag.variables()).spawn().unwrap();
    // It is started once its memory is its own, and has its environment a moment later.
    wait_until("its tag is seen", || tag.marks_process(stray.id()).then_some(()));
    attempt.ask(HolderRequest::Stop(grace(60, 60)));
    wait_until("the end of the stray", || stray.try_wait().unwrap());
    attempt.exit();
}

#[test]
fn requests_that_make_no_sense_are_refused_in_words() {
    let attempt = Attempt::script("trap '' INT; echo ready; while [ ! -e done ]; do sleep 0.1; done").start();
    attempt.wait_for_log("ready");
    attempt.ask(HolderRequest::Stop(grace(60, 60)));
    let refused = attempt.ask(HolderRequest::Pause);
    assert_eq!(refused, HolderReply::Refused { message: "the attempt is being stopped".to_owned() });
    assert!(lives(attempt.started().child.pid));
    fs::write(attempt.folder().join("done"), "").unwrap();
    attempt.exit();
    wait_until("the end of the socket", || (!attempt.order.socket.exists()).then_some(()));
    let late = holder_client::send_request(&attempt.order.socket, HolderRequest::Pause, PATIENCE);
    assert!(matches!(late, Err(SocketError::Absent { .. })), "{late:?}");
}
