//! What happens when the holder or the supervisor dies.

use std::fs;
use std::process::Command;

use jiff::Timestamp;
use sweepdeck::model::ids::RunId;
use sweepdeck::model::state::run_info::{RUN_VERSION, RunInfo, SupervisorInfo};
use sweepdeck::process::containers::Containers;
use sweepdeck::process::{identity, reap};
use sweepdeck::rundir::layout::RunDir;
use sweepdeck::rundir::{lock, records, residence};

use crate::attempt::{Attempt, kill, lives, wait_until, wait_until_gone};

#[test]
fn only_sigkill_ends_a_holder_from_outside() {
    let mut attempt = Attempt::script("read line; exit 6").start();
    let main = attempt.started().child.pid;
    let holder = attempt.holder().id();
    for signal in ["HUP", "INT", "TERM", "QUIT", "PIPE", "USR1", "USR2", "ALRM", "TSTP"] {
        assert!(Command::new("kill").args(["-s", signal, &holder.to_string()]).status().unwrap().success());
    }
    assert!(lives(holder) && lives(main));
    kill(main);
    attempt.exit();
    assert!(attempt.holder().wait().unwrap().success());
}

#[test]
fn the_program_dies_with_its_holder_and_its_orphans_are_found() {
    let mut attempt =
        Attempt::script("setsid sh -c 'trap \"\" HUP; echo $$ > orphan; exec sleep 600' & exec sleep 600")
            .start();
    let (main, orphan) = (attempt.started().child.pid, attempt.pid_in("orphan"));
    attempt.holder().kill().unwrap();
    attempt.holder().wait().unwrap();
    wait_until_gone(main);
    let lock = wait_until("the lock", || lock::try_lock(&attempt.dir.holder_lock()).unwrap());
    assert!(!attempt.dir.exit_json().exists());
    assert!(lives(orphan));
    let containers = Containers::in_folder(attempt.dir.containers_folder().full_path());
    let left = reap::end_attempt(&attempt.order.run_dir, &attempt.order.key, Some(main), &containers);
    assert!(left.iter().any(|process| process.pid == orphan && !process.unkillable), "{left:?}");
    assert!(!lives(orphan));
    drop(lock);
}

/// A run of this machine whose supervisor is `supervisor`; without a plan the next one refuses it.
fn run_of(attempt: &Attempt, supervisor: u32) -> RunDir {
    let run = RunDir::at(attempt.folder());
    let process = identity::identify_process(supervisor).unwrap();
    let info = SupervisorInfo { process, socket: Some(attempt.folder().join("control")), place: None };
    records::write_atomic(&run.supervisor_json(), &info).unwrap();
    let own = identity::identify_self().unwrap();
    let info = RunInfo {
        version: RUN_VERSION,
        id: RunId("r".to_owned()),
        name: "r".to_owned(),
        host: residence::host_name(),
        boot_id: own.boot_id,
        pid_namespace: own.pid_namespace,
        place: None,
        cores: None,
        created: Timestamp::now(),
        sweepdeck: String::new(),
        git_commit: None,
        sweep: attempt.folder().to_owned(),
    };
    records::write_atomic(&run.run_json(), &info).unwrap();
    fs::write(run.journal_path().full_path(), "{}\n").unwrap();
    run
}

#[test]
fn a_holder_starts_a_supervisor_when_its_own_dies() {
    let mut supervisor = Command::new("sleep").arg("600").spawn().unwrap();
    let attempt = Attempt::script("while :; do sleep 0.1; done");
    let run = run_of(&attempt, supervisor.id());
    let attempt = attempt.start();
    let holder = attempt.started().holder.pid;
    // The holder has found its supervisor when it holds a descriptor for it.
    wait_until("a watched supervisor", || {
        let descriptors = fs::read_dir(format!("/proc/{holder}/fd")).unwrap().flatten();
        let mut targets = descriptors.filter_map(|entry| fs::read_link(entry.path()).ok());
        targets.any(|target| target.to_string_lossy().contains("pidfd")).then_some(())
    });
    assert!(!run.supervisor_log().exists());
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    wait_until("a new supervisor", || run.supervisor_log().exists().then_some(()));
}

#[test]
fn nobody_supervises_a_run_that_has_ended() {
    let mut supervisor = Command::new("true").spawn().unwrap();
    let attempt = Attempt::script("while [ ! -e done ]; do sleep 0.1; done");
    let run = run_of(&attempt, supervisor.id());
    supervisor.wait().unwrap();
    let ended = r#"{"at":"2026-11-21T00:00:00Z","fact":"run-ended","finished":true}"#;
    fs::write(run.journal_path().full_path(), format!("{ended}\n")).unwrap();
    let attempt = attempt.start();
    // It would have been started within 700 ms; the look at a removed socket comes after 5 s, so it is a clock here.
    attempt.started();
    fs::remove_file(&attempt.order.socket).unwrap();
    wait_until("the socket again", || attempt.order.socket.exists().then_some(()));
    assert!(!run.supervisor_log().exists());
    fs::write(attempt.folder().join("done"), "").unwrap();
    attempt.exit();
}
