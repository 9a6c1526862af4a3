//! The spawner and its forked holders. It runs without the usual harness, because that has threads before a test
//! begins, and a process with threads is not forked.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::mem;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sweepdeck::engine::event::{Engine, EngineEvent};
use sweepdeck::engine::local::LocalEngine;
use sweepdeck::model::attempt::{AttemptEnd, ExitRecord, HolderOrder, StartRecord, TerminalSize};
use sweepdeck::model::ids::{AttemptKey, AttemptNumber, RunId, ShardId};
use sweepdeck::model::sweep::plan::Grace;
use sweepdeck::process::start::fork::{self, Fork};
use sweepdeck::process::stat;
use sweepdeck::rundir::layout::{AttemptDir, RunDir};
use sweepdeck::rundir::records::{self, FileAccess};
use sweepdeck::session::holder;

const PATIENCE: Duration = Duration::from_secs(60);

fn main() {
    let guarded = tempfile::tempdir().unwrap();
    let mark = guarded.path().join("guarded");
    let fork = || {
        let engine =
            LocalEngine::fork(guarded.path(), holder::serve_attempt, || fs::write(&mark, "").unwrap());
        engine.expect("one thread, so it can be forked")
    };
    let mut engine = fork();
    say("a hundred attempts at once each leave their own record", || a_hundred_attempts(&mut engine));
    say("a forked holder has a title and a session of its own", || title_and_session(&mut engine));
    say("the program inherits no descriptor of spawner or holder", || clean_descriptors(&mut engine));
    say("a killed holder is reported as gone and leaves no record", || killed_holder(&mut engine));
    say("a folder with a line break is refused", || refused_folder(&mut engine));
    say("holders outlive the spawner", || outlive_spawner(engine));
    assert!(!mark.exists(), "it was dismissed");
    say("a spawner whose supervisor died guards the run", || {
        kill_supervisor(fork);
        wait_until("the guard", || mark.exists().then_some(()));
    });
    fs::remove_dir(socket_folder()).unwrap();
}

/// Closed to others whatever the umask: a holder carries out no order that others could have written.
fn run_folder() -> tempfile::TempDir {
    tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o700)).tempdir().unwrap()
}

fn socket_folder() -> PathBuf {
    std::env::temp_dir().join(format!("sweepdeck-engine-{}", std::process::id()))
}

#[expect(clippy::print_stdout, reason = "a test says which tests it has done")]
fn say(name: &str, test: impl FnOnce()) {
    test();
    println!("test {name} ... ok");
}

fn a_hundred_attempts(engine: &mut LocalEngine) {
    let folder = run_folder();
    let dirs: Vec<PathBuf> =
        (0..100).map(|number| order(folder.path(), number, &format!("exit {}", number % 50))).collect();
    for dir in &dirs {
        engine.start_attempt(dir).unwrap();
    }
    let (mut started, mut gone) = (Vec::new(), Vec::new());
    hear(engine, |event| {
        match event {
            EngineEvent::Started { dir, started: record } => {
                assert_eq!(
                    records::read_record::<StartRecord>(&AttemptDir::at(&dir).started_json()).unwrap(),
                    record
                );
                started.push(dir);
            }
            EngineEvent::Gone { dir } => gone.push(dir),
            EngineEvent::Failed { dir, message, .. } => panic!("{}: {message}", dir.display()),
        }
        gone.len() == dirs.len()
    });
    for (number, dir) in dirs.iter().enumerate() {
        assert!(started.contains(dir) && gone.contains(dir), "{}", dir.display());
        let AttemptEnd::Exited { status } = exit(dir).end else { panic!("{} has not exited", dir.display()) };
        assert_eq!(status.code(), Some(number as i32 % 50));
    }
}

fn title_and_session(engine: &mut LocalEngine) {
    let folder = run_folder();
    // Longer than any command line of the parent.
    let dir = order(&folder.path().join("deep".repeat(50)), 1, "read line");
    let started = start(engine, &dir);
    let title = fs::read(format!("/proc/{}/cmdline", started.holder.pid)).unwrap();
    let words: Vec<&[u8]> = title.split(|byte| *byte == 0).collect();
    assert_eq!(words, [b"sweepdeck".as_slice(), b"hold", dir.as_os_str().as_bytes(), b""]);
    let holder = stat::read_stat(started.holder.pid).unwrap();
    assert_eq!((holder.name.as_str(), holder.session), ("sweepdeck-hold", holder.pid));
    let own = fs::read("/proc/self/environ").unwrap();
    assert_eq!(
        fs::read(format!("/proc/{}/environ", holder.pid)).unwrap(),
        own,
        "its environment stays readable"
    );
    assert_eq!(fs::read_link(format!("/proc/{}/cwd", holder.pid)).unwrap(), Path::new("/"));
    kill(started.child.pid);
    wait_for_gone(engine, &dir);
}

fn clean_descriptors(engine: &mut LocalEngine) {
    let folder = run_folder();
    let dir = order(folder.path(), 1, "ls /proc/self/fd | tr '\\n' ' '");
    start(engine, &dir);
    wait_for_gone(engine, &dir);
    assert_eq!(fs::read_to_string(AttemptDir::at(&dir).output_log().full_path()).unwrap(), "0 1 2 3 ");
}

fn killed_holder(engine: &mut LocalEngine) {
    let folder = run_folder();
    let dir = order(folder.path(), 1, "read line");
    let started = start(engine, &dir);
    kill(started.holder.pid);
    wait_for_gone(engine, &dir);
    assert!(!AttemptDir::at(&dir).exit_json().exists());
    wait_until("the end of its program", || (!lives(started.child.pid)).then_some(()));
}

fn refused_folder(engine: &mut LocalEngine) {
    assert!(engine.start_attempt(Path::new("/a\n/b")).is_err());
    assert!(engine.start_attempt(Path::new(OsStr::from_bytes(b"/\xff"))).is_err());
}

fn outlive_spawner(mut engine: LocalEngine) {
    let folder = run_folder();
    let dir = order(folder.path(), 1, "while [ ! -e done ]; do sleep 0.05; done; exit 9");
    let started = start(&mut engine, &dir);
    let spawner = stat::read_stat(started.holder.pid).unwrap().parent;
    assert_eq!(stat::read_stat(spawner).unwrap().parent, std::process::id());
    // Both ends of both pipes are closed with it, as they are when a supervisor is killed.
    drop(engine);
    wait_until("the end of the spawner", || (!lives(spawner)).then_some(()));
    assert!(lives(started.holder.pid) && lives(started.child.pid));
    fs::write(dir.join("done"), "").unwrap();
    wait_until("the end of the holder", || (!lives(started.holder.pid)).then_some(()));
    let AttemptEnd::Exited { status } = exit(&dir).end else { panic!("it has not exited") };
    assert_eq!(status.code(), Some(9));
}

/// Of a process of its own, which ends without a word.
fn kill_supervisor(fork_engine: impl FnOnce() -> LocalEngine) {
    match fork::fork_process().unwrap() {
        Fork::Child => fork::run_child(|| {
            mem::forget(fork_engine());
            0
        }),
        Fork::Parent(_) => {}
    }
}

fn start(engine: &mut LocalEngine, dir: &Path) -> StartRecord {
    engine.start_attempt(dir).unwrap();
    let mut found = None;
    hear(engine, |event| {
        if let EngineEvent::Started { started, .. } = event {
            found = Some(started);
        }
        found.is_some()
    });
    found.unwrap()
}

fn wait_for_gone(engine: &mut LocalEngine, dir: &Path) {
    hear(engine, |event| event == EngineEvent::Gone { dir: dir.to_owned() });
}

fn hear(engine: &mut LocalEngine, mut done: impl FnMut(EngineEvent) -> bool) {
    let mut events = Vec::new();
    wait_until("an event", || {
        engine.read_events(&mut events).unwrap();
        events.drain(..).any(&mut done).then_some(())
    });
}

fn order(run_dir: &Path, number: usize, script: &str) -> PathBuf {
    let shard = ShardId::new(format!("shard-{number}")).unwrap();
    let key = AttemptKey { shard, attempt: AttemptNumber::FIRST };
    let dir = RunDir::at(run_dir).attempt_dir(&key);
    fs::DirBuilder::new().recursive(true).mode(0o700).create(run_dir).unwrap();
    dir.folder().create_dir_all().unwrap();
    let order = HolderOrder {
        version: 1,
        run: RunId("engine-test".to_owned()),
        run_dir: run_dir.to_owned(),
        key,
        argv: ["sh", "-c", script].map(str::to_owned).to_vec(),
        cwd: dir.path().to_owned(),
        env: BTreeMap::new(),
        // Beside the run folder's long path a socket's would not fit.
        socket: socket_folder().join(number.to_string()),
        size: TerminalSize::default(),
        grace: Grace { interrupt: Duration::ZERO, terminate: Duration::ZERO },
        linger: Duration::ZERO,
        cores: Vec::new(),
        nice: 0,
        progress_file: None,
        earlier: None,
        clock: None,
        service: None,
    };
    records::write_new(&dir.order_json(), &order, FileAccess::Owner).unwrap();
    dir.path().to_owned()
}

fn exit(dir: &Path) -> ExitRecord {
    records::read_record(&AttemptDir::at(dir).exit_json()).unwrap()
}

fn lives(pid: u32) -> bool {
    stat::read_stat(pid).is_some_and(|stat| stat.state != stat::ProcessState::Dead)
}

fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited too long for {what}");
        std::thread::yield_now();
    }
}
