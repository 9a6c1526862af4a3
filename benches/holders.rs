//! Attempts through spawner and holder alone, with this benchmark as their supervisor, against `screen`: the time of 8, 64 and 500
//! trivial ones from their order to their exit record, and the memory of 64 idle ones.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use sweepdeck::engine::event::{Engine, EngineEvent};
use sweepdeck::engine::local::LocalEngine;
use sweepdeck::model::attempt::{HolderOrder, StartRecord, TerminalSize};
use sweepdeck::model::ids::{AttemptKey, AttemptNumber, RunId, ShardId};
use sweepdeck::model::state::run_info::SupervisorInfo;
use sweepdeck::model::sweep::plan::Grace;
use sweepdeck::process::identity;
use sweepdeck::rundir::layout::RunDir;
use sweepdeck::rundir::records::{self, FileAccess};
use sweepdeck::session::holder;
use sweepdeck::socket::address;

const ROUNDS: usize = 5;
const IDLE: usize = 64;

fn main() {
    // First of all: the spawner must be forked while there is one thread and little memory.
    let mut engine =
        LocalEngine::fork(Path::new("/"), holder::serve_attempt, || ()).expect("the spawner can be forked");
    for count in [8, 64, 500] {
        // One folder for all rounds: ext4 is slow in making files where many were removed a moment ago.
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let ours = median(
            (0..ROUNDS).map(|round| launch(&mut engine, &folder.path().join(round.to_string()), count)),
        );
        let theirs =
            has_screen().then(|| median((0..ROUNDS).map(|round| screen_launch(folder.path(), count, round))));
        report(
            &format!("{count} x true, ms"),
            ours.as_secs_f64() * 1e3,
            theirs.map(|time| time.as_secs_f64() * 1e3),
        );
    }
    let ours = idle_holders(&mut engine);
    report(&format!("PSS of {IDLE} idle, kB each"), ours, has_screen().then(idle_screens));
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn report(what: &str, ours: f64, theirs: Option<f64>) {
    match theirs {
        Some(theirs) => println!("{what}: holders {ours:.1}, screen {theirs:.1}, ratio {:.2}", ours / theirs),
        None => println!("{what}: holders {ours:.1} (screen is not installed)"),
    }
}

/// Holders that end without a living supervisor wait a moment and start one; this process is theirs.
fn supervise(run_dir: &Path) {
    fs::create_dir_all(run_dir).expect("the run's folder can be made");
    let process = identity::identify_self().expect("/proc is there");
    let info = SupervisorInfo { process, socket: Some(run_dir.join("none")), place: None };
    records::write_atomic(&RunDir::at(run_dir).supervisor_json(), &info).expect("the record can be written");
}

fn launch(engine: &mut LocalEngine, run_dir: &Path, count: usize) -> Duration {
    supervise(run_dir);
    let begun = Instant::now();
    for number in 0..count {
        let dir = order(run_dir, &format!("shard-{number}"), &["true"]);
        engine.start_attempt(&dir).expect("the spawner takes orders");
    }
    let (mut started, mut gone) = (0, 0);
    wait_for(engine, |event| {
        match event {
            EngineEvent::Gone { dir } => {
                assert!(dir.join("exit.json").exists(), "{} has no exit record", dir.display());
                gone += 1;
            }
            event => started += usize::from(matches!(event, EngineEvent::Started { .. })),
        }
        gone == count
    });
    assert_eq!(started, count, "each was started");
    begun.elapsed()
}

fn idle_holders(engine: &mut LocalEngine) -> f64 {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    supervise(folder.path());
    for number in 0..IDLE {
        let dir = order(folder.path(), &format!("idle-{number}"), &["sleep", "600"]);
        engine.start_attempt(&dir).expect("the spawner takes orders");
    }
    let mut started: Vec<StartRecord> = Vec::new();
    wait_for(engine, |event| {
        if let EngineEvent::Started { started: one, .. } = event {
            started.push(one);
        }
        started.len() == IDLE
    });
    // Past their first look for a supervisor, they are as they stay.
    thread::sleep(Duration::from_secs(1));
    let mean = mean_pss(&started.iter().map(|one| one.holder.pid).collect::<Vec<_>>());
    for one in &started {
        kill(one.child.pid);
    }
    let mut gone = 0;
    wait_for(engine, |event| {
        gone += usize::from(matches!(event, EngineEvent::Gone { .. }));
        gone == IDLE
    });
    mean
}

fn wait_for(engine: &mut LocalEngine, mut done: impl FnMut(EngineEvent) -> bool) {
    let mut events = Vec::new();
    loop {
        let mut entries =
            [rustix::event::PollFd::from_borrowed_fd(engine.events_fd(), rustix::event::PollFlags::IN)];
        rustix::event::poll(&mut entries, None).expect("poll works");
        engine.read_events(&mut events).expect("the spawner lives");
        for event in events.drain(..) {
            if done(event) {
                return;
            }
        }
    }
}

fn order(run_dir: &Path, shard: &str, argv: &[&str]) -> PathBuf {
    // The id becomes the name of a file.
    let run = RunId(format!("bench{}", run_dir.display().to_string().replace('/', "-")));
    let shard = ShardId::new(shard).expect("a plain name");
    let key = AttemptKey { shard, attempt: AttemptNumber::FIRST };
    let dir = RunDir::at(run_dir).attempt_dir(&key);
    dir.folder().create_dir_all().expect("the attempt's folder can be made");
    let socket = address::of_attempt(&run, &key).expect("there is a folder for sockets");
    let order = HolderOrder {
        version: 1,
        run,
        run_dir: run_dir.to_owned(),
        key,
        argv: argv.iter().map(|&word| word.to_owned()).collect(),
        cwd: PathBuf::from("/"),
        env: std::collections::BTreeMap::new(),
        socket,
        size: TerminalSize::default(),
        grace: Grace { interrupt: Duration::from_secs(1), terminate: Duration::from_secs(1) },
        linger: Duration::from_secs(1),
        cores: Vec::new(),
        nice: 0,
        progress_file: None,
        earlier: None,
        clock: None,
        service: None,
    };
    records::write_new(&dir.order_json(), &order, FileAccess::Owner).expect("the order can be written");
    dir.path().to_owned()
}

fn has_screen() -> bool {
    Command::new("screen").arg("-v").stdout(Stdio::null()).status().is_ok()
}

fn session_name(label: &str, number: usize) -> String {
    format!("sweepdeck-{}-{label}-{number}", std::process::id())
}

/// What `screen` does not record the command does: a file with its exit code.
fn screen_launch(folder: &Path, count: usize, round: usize) -> Duration {
    let codes = folder.join(format!("codes-{round}"));
    fs::create_dir(&codes).expect("the folder of exit codes can be made");
    let begun = Instant::now();
    for number in 0..count {
        let record = format!("true; echo $? > {}/{number}", codes.display());
        start_screen(&session_name(&format!("r{round}"), number), &["sh", "-c", &record]);
    }
    while fs::read_dir(&codes).expect("the folder is there").count() < count {
        thread::sleep(Duration::from_millis(1));
    }
    begun.elapsed()
}

fn idle_screens() -> f64 {
    let names: Vec<String> = (0..IDLE).map(|number| session_name("idle", number)).collect();
    for name in &names {
        start_screen(name, &["sleep", "600"]);
    }
    thread::sleep(Duration::from_secs(1));
    let list = Command::new("screen").arg("-ls").output().expect("screen lists its sessions").stdout;
    let list = String::from_utf8_lossy(&list).into_owned();
    let prefix = session_name("idle", 0).trim_end_matches('0').to_owned();
    let lines = list.lines().filter(|line| line.contains(&prefix));
    let pids: Vec<u32> = lines.filter_map(|line| line.trim().split('.').next()?.parse().ok()).collect();
    assert_eq!(pids.len(), IDLE, "all sessions of screen are listed");
    let mean = mean_pss(&pids);
    for name in &names {
        let _ = Command::new("screen").args(["-S", name, "-X", "quit"]).stdout(Stdio::null()).status();
    }
    mean
}

fn start_screen(name: &str, command: &[&str]) {
    let status = Command::new("screen").args(["-dmS", name]).args(command).status();
    assert!(status.is_ok_and(|status| status.success()), "screen starts");
}

fn mean_pss(pids: &[u32]) -> f64 {
    let all: f64 = pids.iter().map(|pid| pss(*pid)).sum();
    all / pids.len() as f64
}

fn pss(pid: u32) -> f64 {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).expect("the process lives");
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).expect("the kernel counts PSS");
    line.trim().trim_end_matches(" kB").parse().expect("a number of kB")
}

fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid as i32).expect("a pid is not 0");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("a child of ours can be killed");
}

fn median(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<Duration> = times.collect();
    times.sort();
    times[times.len() / 2]
}
