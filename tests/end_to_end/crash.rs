//! Whatever is killed, no shard is lost, none is run twice, and the run goes on by itself.

use std::collections::BTreeSet;
use std::fs;

use rustix::process::Signal;

use crate::harness::place::{Ended, PROGRAM, Place, Run};
use crate::harness::processes::{self, signal, spawner, with_command};
use crate::harness::wait::{until, until_some};

/// Eight shards, four at a time; each leaves a witness of its start and waits until it may end. Number 2 ends
/// with code 7.
fn eight() -> String {
    r#"
name = "crash"
[matrix]
n = [1, 2, 3, 4, 5, 6, 7, 8]
[shard]
command = """
echo start >> witness-{{ n }}
until [ -e go ]; do sleep 0.05; done
if [ {{ n }} = 2 ]; then exit 7; fi
"""
[schedule]
parallel = 4
"#
    .to_owned()
}

fn started(place: &Place) -> usize {
    (1..=8).filter(|n| place.path().join(format!("witness-{n}")).exists()).count()
}

fn expect_seven_and_one_seven(place: &Place, run: &Run<'_>) {
    assert_eq!(run.wait(), Some(1));
    assert_eq!(run.count("succeeded"), 7, "{}", run.status());
    let failed = run.shard("2");
    assert_eq!((&failed["phase"], &failed["reason"]), (&"failed".into(), &"exit-code".into()));
    assert_eq!(failed["exit"]["code"], 7);
    for n in 1..=8 {
        assert_eq!(place.read(&format!("witness-{n}")).as_deref(), Some("start\n"), "shard {n} ran once");
    }
}

#[test]
fn a_killed_supervisor_loses_nothing_and_nothing_runs_twice() {
    let place = Place::new();
    let run = place.start(&eight());
    until("four shards run", || started(&place) == 4);
    let supervisor = run.supervisor().expect("a supervisor");
    signal(supervisor, Signal::KILL);
    place.write("go", "");
    until("all shards have started", || started(&place) == 8);
    expect_seven_and_one_seven(&place, &run);
}

#[test]
fn a_command_right_after_the_death_of_the_supervisor_is_carried_out_by_the_next_one() {
    let place = Place::new();
    let run = place.start(&eight());
    until("four shards run", || started(&place) == 4);
    for pid in with_command(&format!("supervise {}", run.word())) {
        signal(pid, Signal::KILL);
    }
    run.does("stop", &["--now"]);
    assert_eq!(run.wait(), Some(1));
    assert_eq!(run.count("cancelled"), 4, "{}", run.status());
}

#[test]
fn holders_start_a_supervisor_when_it_died_with_its_keeper() {
    let place = Place::new();
    let run = place.start(&eight());
    until("four shards run", || started(&place) == 4);
    let first: BTreeSet<u32> = with_command(&format!("supervise {}", run.word())).into_iter().collect();
    assert!(!first.is_empty());
    for pid in &first {
        signal(*pid, Signal::KILL);
    }
    until("another supervisor lives", || run.supervisor().is_some_and(|pid| !first.contains(&pid)));
    place.write("go", "");
    until("all shards have started", || started(&place) == 8);
    expect_seven_and_one_seven(&place, &run);
}

#[test]
fn a_supervisor_killed_again_and_again_still_brings_the_run_to_its_end() {
    let place = Place::new();
    let run = place.start(
        "name = \"again\"\n[matrix]\nn = [1, 2, 3, 4, 5, 6]\n[shard]\n\
         command = \"echo start >> witness-{{ n }}; sleep 0.3\"\n[schedule]\nparallel = 2\n",
    );
    let mut killed = BTreeSet::new();
    until("three supervisors were killed or the run is over", || {
        if let Some(pid) = run.supervisor().filter(|pid| !killed.contains(pid)) {
            signal(pid, Signal::KILL);
            killed.insert(pid);
        }
        killed.len() == 3 || run.status()["run"]["state"] == "finished"
    });
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    for n in 1..=6 {
        assert_eq!(place.read(&format!("witness-{n}")).as_deref(), Some("start\n"), "shard {n} ran once");
    }
}

#[test]
fn a_killed_holder_costs_an_attempt_and_not_the_shard() {
    let place = Place::new();
    let run = place
        .start("name = \"lost\"\n[shard]\nid = \"only\"\ncommand = \"echo start >> witness; sleep 600\"\n");
    // The file is there a moment before its line is.
    until("the shard runs", || place.read("witness").as_deref() == Some("start\n"));
    let holders = with_command(&format!("hold {}", run.dir.join("shards/only/attempt-01").display()));
    assert_eq!(holders.len(), 1, "one holder serves the attempt");
    signal(holders[0], Signal::KILL);
    until("it is tried again", || place.read("witness").as_deref() == Some("start\nstart\n"));
    let exit = fs::read_to_string(run.dir.join("shards/only/attempt-01/exit.json")).expect("an exit record");
    assert!(exit.contains("lost"), "{exit}");
    run.does("kill", &["only"]);
    assert_eq!(run.wait(), Some(1));
    assert_eq!(run.shard("only")["reason"], "killed");
}

#[test]
fn a_run_of_another_machine_is_not_taken_over() {
    let place = Place::new();
    let run = place
        .start("name = \"far\"\n[shard]\nid = \"only\"\ncommand = \"echo start >> witness; sleep 600\"\n");
    until("the shard runs", || place.read("witness").is_some());
    processes::end_all_of(place.path());
    until("nobody supervises", || run.supervisor().is_none());
    let record = place.read("r/run.json").expect("a record");
    let host = serde_json::from_str::<serde_json::Value>(&record).expect("JSON")["host"].to_string();
    place.write("r/run.json", &record.replace(&host, "\"far-away\""));
    // Every machine has boots of its own.
    let supervisor = place.read("r/supervisor.json").expect("a record");
    let boot = serde_json::from_str::<serde_json::Value>(&supervisor).expect("JSON")["boot_id"].to_string();
    place.write("r/supervisor.json", &supervisor.replace(&boot, "\"of-another-machine\""));
    let refused = run.sweepdeck("requeue", &["--all"]);
    assert_eq!(refused.code, Some(5), "{refused:?}");
    assert!(refused.stderr.contains("far-away"), "{refused:?}");
    assert_eq!(run.supervisor(), None);
    assert_eq!(run.status()["run"]["state"], "unsupervised");
}

#[test]
fn a_killed_spawner_ends_no_shard() {
    let place = Place::new();
    let run = place.start(&eight());
    until("four shards run", || started(&place) == 4);
    let supervisor = run.supervisor().expect("a supervisor");
    let spawner = until_some("it has a spawner", || spawner(supervisor));
    signal(spawner, Signal::KILL);
    until("another supervisor has taken over", || run.supervisor().is_some_and(|pid| pid != supervisor));
    place.write("go", "");
    expect_seven_and_one_seven(&place, &run);
}

#[test]
fn a_killed_keeper_is_replaced() {
    let place = Place::new();
    let run = place.start(&eight());
    until("four shards run", || started(&place) == 4);
    let keepers = || -> Vec<u32> {
        let supervisor = run.supervisor();
        let all = with_command(&format!("supervise {}", run.word()));
        all.into_iter().filter(|pid| Some(*pid) != supervisor).collect()
    };
    let supervisor = run.supervisor();
    let first = keepers();
    assert_eq!(first.len(), 1);
    signal(first[0], Signal::KILL);
    until("another supervisor has a keeper", || {
        run.supervisor().is_some_and(|pid| Some(pid) != supervisor)
            && keepers().iter().any(|pid| *pid != first[0])
    });
    place.write("go", "");
    expect_seven_and_one_seven(&place, &run);
}

#[test]
fn the_last_holders_of_a_run_leave_a_supervisor_behind() {
    let place = Place::new();
    let run = place.start(&eight().replace("parallel = 4", "parallel = 8"));
    until("all shards run", || started(&place) == 8);
    for pid in with_command(&format!("supervise {}", run.word())) {
        signal(pid, Signal::KILL);
    }
    // The shards end before their holders would have healed the run.
    place.write("go", "");
    until("the run ends by itself", || run.status()["run"]["state"] == "finished");
    expect_seven_and_one_seven(&place, &run);
}

#[test]
fn a_run_keeps_no_descriptor_of_whoever_started_it() {
    let place = Place::new();
    place.write("sweep.toml", "name = \"fds\"\n[shard]\nid = \"only\"\ncommand = \"sleep 600\"\n");
    place.write("held", "");
    let line = format!("exec 9<held; exec '{PROGRAM}' run sweep.toml --detach --out r");
    let state = place.path().join("state");
    let mut shell = std::process::Command::new("bash");
    let started = Ended::of(shell.args(["-c", &line]).current_dir(place.path()).env("XDG_STATE_HOME", state));
    assert_eq!(started.code, Some(0), "{started:?}");
    let held = place.path().join("held");
    let mut of_the_run = Vec::new();
    until("a holder runs", || {
        of_the_run = processes::of(place.path());
        of_the_run.iter().any(|pid| with_command("sweepdeck hold").contains(pid))
    });
    for pid in of_the_run {
        let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        let kept = open.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|target| target == held);
        assert!(!kept, "process {pid} keeps it open");
    }
}

#[test]
fn nobody_supervises_a_run_whose_folder_was_removed() {
    let place = Place::new();
    let run = place.start(&eight());
    until("four shards run", || started(&place) == 4);
    let supervisor = run.supervisor().expect("a supervisor");
    fs::remove_dir_all(place.path().join(run.word())).unwrap();
    signal(supervisor, Signal::KILL);
    place.write("go", "");
    until("nobody supervises", || with_command(&format!("supervise {}", run.word())).is_empty());
}

#[test]
fn shards_keep_the_environment_of_the_start_whoever_looks_after_the_run_later() {
    let place = Place::new();
    place.write(
        "sweep.toml",
        "name = \"shells\"\n[matrix]\nn = [1, 2]\n[shard]\nsecret = [\"KEY\"]\n\
         command = \"until [ -e go ]; do sleep 0.05; done; echo $SHELL_OF_START $KEY > seen-{{ n }}\"\n\
         [schedule]\nparallel = 1\n",
    );
    let mut start = place.command(&["run", "sweep.toml", "--detach", "--out", "r"]);
    let started = Ended::of(start.env("SHELL_OF_START", "first").env("KEY", "old-key"));
    assert_eq!(started.code, Some(0), "{started:?}");
    let run = place.path().join("r");
    until("a shard runs", || !with_command(&format!("{}", run.join("shards").display())).is_empty());
    processes::end_all_of(&run);
    place.write("go", "");
    let mut wait = place.command(&["wait", "r"]);
    let waited = Ended::of(wait.env("SHELL_OF_START", "second").env("KEY", "new-key"));
    assert_eq!(waited.code, Some(0), "{waited:?}");
    for n in [1, 2] {
        assert_eq!(place.read(&format!("seen-{n}")).as_deref(), Some("first new-key\n"));
    }
    let kept = place.path().join("state/sweepdeck/environments");
    let file = fs::read_dir(kept).expect("a folder").next().expect("a file").expect("its name").path();
    assert!(
        !fs::read_to_string(&file).expect("text").contains("-key"),
        "secrets stand in no file but the orders"
    );
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&file).expect("a file").permissions());
    assert_eq!(mode & 0o777, 0o600);
}
