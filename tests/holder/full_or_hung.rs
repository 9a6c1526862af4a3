//! A disk that hangs or is full while a program writes: the program goes on, and its output reaches the log later.

use std::fs;

use sweepdeck::model::attempt::AttemptEnd;

use crate::attempt::{Attempt, status, wait_until, wait_until_gone};
use crate::hung_disk::HungDisk;

/// Starts an attempt on a disk.
fn start_on(script: &str) -> (Attempt, HungDisk) {
    let attempt = Attempt::script(script);
    let disk = HungDisk::new(attempt.folder());
    let settings = disk.environment().map(|(name, value)| format!("export {name}='{}'", value.display()));
    (attempt.start_after(&settings.join("\n")), disk)
}

fn lines(last: u32) -> String {
    (1..=last).map(|line| format!("{line}\r\n")).collect()
}

#[test]
fn a_disk_that_hangs_stops_no_program_and_costs_no_byte() {
    // More than memory is to hold, so that the file of this machine has its part.
    let (attempt, disk) =
        start_on("echo begun; while [ ! -e go ]; do sleep 0.01; done; seq 1 300000; echo > written; exit 7");
    attempt.wait_for_log("begun");
    let main = attempt.started().child.pid;
    disk.is("hung");
    fs::write(attempt.folder().join("go"), "").unwrap();
    wait_until("the program to write all", || attempt.folder().join("written").exists().then_some(()));
    assert_eq!(attempt.log(), "begun\r\n", "the disk does hang");
    disk.is("well");
    let record = attempt.exit();
    assert_eq!((status(&record).code(), record.lost_log_bytes), (Some(7), 0));
    assert!(attempt.log() == format!("begun\r\n{}", lines(300_000)), "the log differs");
    wait_until_gone(main);
}

#[test]
fn the_end_of_a_program_waits_for_a_disk_that_hangs() {
    let (mut attempt, disk) =
        start_on("echo begun; while [ ! -e go ]; do sleep 0.01; done; echo last; echo > written; exit 3");
    attempt.wait_for_log("begun");
    disk.is("hung");
    fs::write(attempt.folder().join("go"), "").unwrap();
    wait_until("the program to write all", || attempt.folder().join("written").exists().then_some(()));
    assert!(attempt.holder().try_wait().unwrap().is_none() && !attempt.dir.exit_json().exists());
    disk.is("well");
    assert_eq!(status(&attempt.exit()).code(), Some(3));
    assert_eq!(attempt.log(), "begun\r\nlast\r\n");
    assert!(attempt.holder().wait().unwrap().success());
}

#[test]
fn a_disk_that_is_full_for_a_while_costs_no_byte_and_no_exit_status() {
    let (attempt, disk) =
        start_on("echo begun; while [ ! -e go ]; do sleep 0.01; done; seq 1 1000; echo > written; exit 4");
    attempt.wait_for_log("begun");
    disk.is("full");
    fs::write(attempt.folder().join("go"), "").unwrap();
    wait_until_gone(attempt.started().child.pid);
    assert!(!attempt.dir.exit_json().exists());
    disk.is("well");
    let record = attempt.exit();
    assert!(matches!(record.end, AttemptEnd::Exited { .. }), "{:?}", record.end);
    assert_eq!((status(&record).code(), record.lost_log_bytes), (Some(4), 0));
    assert_eq!(attempt.log(), format!("begun\r\n{}", lines(1000)));
}

#[test]
fn what_no_disk_had_room_for_is_counted_and_marked_in_the_log() {
    // There is no room for a file on this machine either: one mebibyte waits in memory, and the rest is dropped.
    let mut attempt = Attempt::script(
        "echo begun; while [ ! -e go ]; do sleep 0.01; done; seq 1 300000; echo > written
         while [ ! -e end ]; do sleep 0.01; done; echo last",
    );
    attempt.order.socket = "/proc/none/socket".into();
    let disk = HungDisk::new(attempt.folder());
    let settings = disk.environment().map(|(name, value)| format!("export {name}='{}'", value.display()));
    let attempt = attempt.start_after(&settings.join("\n"));
    attempt.wait_for_log("begun");
    disk.is("hung");
    fs::write(attempt.folder().join("go"), "").unwrap();
    wait_until("the program to write all", || attempt.folder().join("written").exists().then_some(()));
    disk.is("well");
    attempt.wait_for_log("bytes of output are missing here");
    fs::write(attempt.folder().join("end"), "").unwrap();
    let record = attempt.exit();
    let log = attempt.log();
    let (before, after) = log.split_once("\r\n[sweepdeck: ").unwrap();
    let all = format!("begun\r\n{}", lines(300_000));
    assert!(all.starts_with(before) && before.len() > (1 << 20) - (32 << 10), "{}", before.len());
    let mark = format!(
        "{} bytes of output are missing here: the log took none for too long]\r\n",
        record.lost_log_bytes
    );
    assert_eq!(after, format!("{mark}last\r\n"));
    assert_eq!(before.len() as u64 + record.lost_log_bytes, all.len() as u64);
}
