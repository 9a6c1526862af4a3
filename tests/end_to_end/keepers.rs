//! The keepers of a run: however often one is started, one tries again, and none leaves the run alone.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::place::{Place, Run};
use crate::harness::processes::{self, children, signal, with_command};
use crate::harness::wait::{until, until_some};

fn side_by_side(count: u32) -> String {
    let numbers: Vec<String> = (1..=count).map(|n| n.to_string()).collect();
    format!(
        "name = \"kept\"\n[matrix]\nn = [{}]\n[shard]\n\
         command = \"echo start >> witness-{{{{ n }}}}; until [ -e go ]; do sleep 0.1; done\"\n\
         [schedule]\nparallel = {count}\n",
        numbers.join(", ")
    )
}

fn started(place: &Place, count: u32) -> bool {
    (1..=count).all(|n| place.read(&format!("witness-{n}")).as_deref() == Some("start\n"))
}

/// Keepers and supervisors.
pub fn supervisors(run: &Run<'_>) -> Vec<u32> {
    with_command(&format!("supervise {}", run.word()))
}

/// The keeper of the living supervisor.
pub fn keeper(run: &Run<'_>) -> u32 {
    let supervisor = until_some("a supervisor lives", || run.supervisor());
    let is_keeper = |pid: &u32| children(*pid).contains(&supervisor);
    until_some("it has a keeper", || supervisors(run).into_iter().find(is_keeper))
}

/// Makes every supervisor of a run fail at its start, and perhaps not the next time: it cannot listen.
pub struct Deafness {
    socket: PathBuf,
}

impl Deafness {
    /// Puts a folder in the place of the socket, and kills the supervisor.
    pub fn begin(run: &Run<'_>) -> Self {
        let record = fs::read_to_string(run.dir.join("supervisor.json")).expect("a record");
        let record: Value = serde_json::from_str(&record).expect("JSON");
        let socket = PathBuf::from(record["socket"].as_str().expect("it listens"));
        let supervisor = run.supervisor().expect("a supervisor");
        // At work, it would bind the socket again.
        signal(supervisor, Signal::STOP);
        fs::remove_file(&socket).expect("its socket");
        fs::create_dir(&socket).expect("a folder in its place");
        signal(supervisor, Signal::KILL);
        Self { socket }
    }

    /// How many supervisors have failed by it.
    pub fn failures(&self, place: &Place) -> usize {
        let refused = format!("cannot remove {}", self.socket.display());
        place.read("r/supervisor.log").unwrap_or_default().matches(&refused).count()
    }

    /// The next supervisor listens again.
    pub fn end(self) {
        fs::remove_dir(&self.socket).expect("the folder");
    }
}

fn name_of(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim().to_owned()
}

#[test]
fn keepers_do_not_pile_up_while_no_supervisor_can_start() {
    let place = Place::new();
    let run = place.start(&side_by_side(8));
    until("all run", || started(&place, 8));
    let deafness = Deafness::begin(&run);
    supervisors(&run).into_iter().for_each(|pid| signal(pid, Signal::KILL));
    let mut most = 0;
    until("each holder has tried more than once", || {
        most = most.max(supervisors(&run).len());
        deafness.failures(&place) >= 14
    });
    // Before one kept the others away there was one for each holder, at rest between its tries.
    until("one keeper is left", || supervisors(&run).len() <= 2);
    deafness.end();
    until("a supervisor lives", || run.supervisor().is_some());
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "at most {most} at once: {}", run.status());
    assert!(started(&place, 8), "no shard ran twice");
}

#[test]
fn a_stopped_supervisor_is_shown_and_gives_way_to_another() {
    let place = Place::new();
    let run = place.start(&side_by_side(2));
    until("both run", || started(&place, 2));
    let supervisor = run.supervisor().expect("a supervisor");
    signal(supervisor, Signal::STOP);
    until("the status says so", || run.does("status", &[]).stdout.contains("supervisor stopped"));
    let screen = run.does("attach", &["--once"]).stdout;
    assert!(screen.contains("supervisor stopped") || run.supervisor() != Some(supervisor), "{screen}");
    until("another one has its place", || run.supervisor().is_some_and(|pid| pid != supervisor));
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    assert!(started(&place, 2), "no shard ran twice");
}

#[test]
fn what_was_given_up_is_not_done_later() {
    let place = Place::new();
    let run = place.start(&side_by_side(1));
    until("it runs", || started(&place, 1));
    let (supervisor, keeper) = (run.supervisor().expect("a supervisor"), keeper(&run));
    // Its keeper would replace it.
    signal(keeper, Signal::STOP);
    signal(supervisor, Signal::STOP);
    let gave_up = run.sweepdeck("kill", &["--all"]);
    assert_eq!(gave_up.code, Some(5), "{gave_up:?}");
    assert!(gave_up.stderr.contains("is not done later"), "{gave_up:?}");
    signal(supervisor, Signal::CONT);
    signal(keeper, Signal::CONT);
    // It is heard after the one that was given up.
    run.does("pause", &["--all"]);
    run.does("resume", &["--all"]);
    let journal = place.read("r/journal.jsonl").expect("a journal");
    assert!(!journal.contains("attempt-stopping"), "{journal}");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn a_lasting_reason_is_said_at_once() {
    let place = Place::new();
    let run = place.start(&side_by_side(1));
    until("it runs", || started(&place, 1));
    processes::end_all_of(place.path());
    // The verb starts a supervisor, which alone looks into the folder of sockets and patterns.
    let plan = place.read("r/plan.json").expect("a plan");
    let mut broken: Value = serde_json::from_str(&plan).expect("JSON");
    // The broken one is found last, long after the first command could have been answered.
    let slow = (0..8).map(|n| format!("rule {n} \\w{{40}}")).chain(["(".to_owned()]);
    let rules =
        slow.map(|pattern| serde_json::json!({"pattern": pattern, "verdict": "invalid", "message": "m"}));
    broken["rules"] = rules.collect();
    place.write("r/plan.json", &broken.to_string());
    let begun = std::time::Instant::now();
    let refused = run.sweepdeck("recover", &[]);
    assert_eq!(refused.code, Some(5), "{refused:?}");
    assert!(refused.stderr.contains("did not come up: "), "{refused:?} after {:?}", begun.elapsed());
    let log = place.read("r/supervisor.log").expect("a log");
    assert_eq!(log.matches("a pattern of the sweep cannot be used").count(), 1, "one try is enough: {log}");
}

#[test]
fn shards_that_end_while_patterns_compile_start_no_keepers() {
    let place = Place::new();
    let numbers: Vec<String> = (1..=16).map(|n| n.to_string()).collect();
    let slow: Vec<String> = (0..12)
        .map(|n| {
            format!("[[rule]]\npattern = \"rule {n} \\\\w{{40}}\"\nverdict = \"warning\"\nmessage = \"m\"\n")
        })
        .collect();
    let sweep = format!(
        "name = \"brief\"\n[matrix]\nn = [{}]\n[shard]\ncommand = [\"true\"]\n\
         [schedule]\nparallel = 16\nstagger = \"0s\"\n{}",
        numbers.join(", "),
        slow.concat()
    );
    place.write("sweep.toml", &sweep);
    let mut started = place
        .command(&["run", "sweep.toml", "--headless", "--out", "r"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let supervise = format!("supervise {}", place.path().join("r").display());
    let mut most = 0;
    until("the run is over", || {
        most = most.max(with_command(&supervise).len());
        started.try_wait().expect("a child").is_some()
    });
    // A keeper and its supervisor, and others for a moment under the name of the process that they were forked from.
    assert!(most <= 4, "{most} at once");
}

#[test]
fn processes_of_a_run_have_names() {
    let place = Place::new();
    let run = place.start(&side_by_side(1));
    until("it runs", || started(&place, 1));
    let supervisor = run.supervisor().expect("a supervisor");
    until("each has its name", || {
        (name_of(keeper(&run)).as_str(), name_of(supervisor).as_str())
            == ("sweepdeck-keep", "sweepdeck-super")
    });
}

#[test]
fn what_a_killed_holder_leaves_without_a_trace_is_ended() {
    let place = Place::new();
    let run = place.start(
        "name = \"strays\"\n[shard]\nid = \"only\"\n\
         command = \"[ -e second ] && exit 0; touch second; env -i setsid bash -c 'echo $$ > stray; exec sleep 600' & \
         until [ -s stray ]; do sleep 0.05; done; sleep 600\"\n",
    );
    let stray = until_some("it runs", || place.read("stray")?.trim().parse().ok());
    let holder = until_some("a holder", || {
        with_command(&format!("hold {}", run.dir.join("shards/only").display())).first().copied()
    });
    signal(holder, Signal::KILL);
    until("the process without a trace is gone", || processes::state(stray).is_none());
    assert_eq!(run.wait(), Some(0), "{}", run.status());
}

#[test]
fn strays_whose_parents_end_during_the_look_for_them_are_ended() {
    let place = Place::new();
    // The hangup of the terminal ends the parents while the spawner walks from one to the next.
    let run = place.start(
        "name = \"brood\"\n[shard]\nid = \"only\"\n\
         command = \"if [ -e second ]; then until [ -e go ]; do sleep 0.05; done; exit 0; fi; touch second; \
         for n in {1..100}; do (env -i setsid sleep 600.$PPID; true) & done; wait\"\n",
    );
    let holder = until_some("a holder", || {
        with_command(&format!("hold {}", run.dir.join("shards/only").display())).first().copied()
    });
    let strays = || with_command(&format!("sleep 600.{holder}")).len();
    until("all have begun", || strays() == 100);
    signal(holder, Signal::KILL);
    until("none of them is left", || strays() == 0);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
}

/// Two runs of two shards each, all at work.
fn start_two(place: &Place) -> [Run<'_>; 2] {
    place.write("sweep.toml", &side_by_side(2));
    ["r", "second"].map(|name| {
        let started = place.sweepdeck(&["run", "sweep.toml", "--detach", "--out", name]);
        assert_eq!(started.code, Some(0), "{started:?}");
        let run = Run { place, dir: place.path().join(name) };
        until("both run", || run.count("running") == 2);
        run
    })
}

#[test]
fn every_run_continues_after_everything_died() {
    let place = Place::new();
    let runs = start_two(&place);
    processes::end_all_of(place.path());
    until("no supervisor lives", || runs.iter().all(|run| run.supervisor().is_none()));
    let recovered = place.sweepdeck(&["recover", "--all"]);
    assert_eq!(recovered.code, Some(0), "{recovered:?}");
    assert_eq!(recovered.stderr.matches("the run goes on in").count(), 2, "{recovered:?}");
    // Before `wait`, which would start them too.
    runs.iter().for_each(|run| until("a supervisor lives", || run.supervisor().is_some()));
    place.write("go", "");
    runs.iter().for_each(|run| assert_eq!(run.wait(), Some(0), "{}", run.status()));
    let nothing = place.sweepdeck(&["recover", "--all"]);
    assert!(nothing.code == Some(0) && nothing.stderr.contains("no run waits"), "{nothing:?}");
}

/// Tools that note how they were called, in place of those of the machine.
fn with_tools(place: &Place, command: &mut Command) {
    for (name, text) in [
        ("systemctl", "echo \"$@\" >> called"),
        ("loginctl", "echo loginctl \"$@\" >> called; [ $1 = enable-linger ]"),
    ] {
        let tool = place.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("it is mine");
    }
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", place.path().join("bin").display()));
}

#[test]
fn the_unit_of_the_service_continues_every_run() {
    let place = Place::new();
    let service = |word: &str| {
        let mut command = place.command(&["service", word]);
        with_tools(&place, &mut command);
        let ended = crate::harness::place::Ended::of(&mut command);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended
    };
    service("install");
    let unit = place.read("config/systemd/user/sweepdeck.service").expect("a unit");
    let called = place.read("called").expect("calls");
    assert!(called.contains("--user daemon-reload\n--user enable sweepdeck.service\n"), "{called}");
    assert!(called.contains("loginctl enable-linger"), "{called}");
    assert!(service("status").stdout.contains("installed"));

    let runs = start_two(&place);
    processes::end_all_of(place.path());
    until("no supervisor lives", || runs.iter().all(|run| run.supervisor().is_none()));
    // As systemd does it: with what the unit names, and nothing of a login.
    let line = |start: &str| unit.lines().filter_map(|line| line.strip_prefix(start)).collect::<Vec<_>>();
    let mut boot = Command::new("env");
    boot.arg("-i");
    for value in line("Environment=") {
        boot.arg(value.trim_matches('"'));
    }
    let words = shell_words::split(line("ExecStart=")[0]).expect("a command");
    let recovered = crate::harness::place::Ended::of(boot.args(words));
    assert_eq!(recovered.code, Some(0), "{recovered:?}");
    runs.iter().for_each(|run| until("a supervisor lives", || run.supervisor().is_some()));
    place.write("go", "");
    runs.iter().for_each(|run| assert_eq!(run.wait(), Some(0), "{}", run.status()));

    service("uninstall");
    assert!(!place.path().join("config/systemd/user/sweepdeck.service").exists());
    assert!(service("status").stdout.contains("not installed"));
}

#[test]
fn a_machine_without_systemd_gets_a_line_for_cron() {
    let place = Place::new();
    let mut command = place.command(&["service", "install"]);
    let refused = crate::harness::place::Ended::of(command.env("PATH", place.path()));
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.stderr.contains("@reboot ") && refused.stderr.contains("recover --all"), "{refused:?}");
}
