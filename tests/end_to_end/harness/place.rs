//! A folder of its own for each test: the current folder of the program, its state, and its runs.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::one_node;
use super::processes;
use super::wait::{output_of, until};
use crate::fake_clock::FakeClock;
use crate::fake_nvml::FakeDriver;

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_sweepdeck");

/// Verbs that ask something of attempts.
const ASKING: [&str; 7] = ["kill", "pause", "priority", "restart", "resume", "set", "stop"];

/// A test's own world. Whatever still runs in it ends with it.
pub struct Place {
    folder: TempDir,
    /// Its sweeps run on a node.
    is_on_node: bool,
    driver: Option<FakeDriver>,
    /// The environment of a wall clock that can be set.
    clock: Vec<(&'static str, PathBuf)>,
}

/// How the program ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// Runs a program to its end.
    pub fn of(command: &mut Command) -> Self {
        let output = output_of(command);
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A run that was started.
pub struct Run<'a> {
    pub place: &'a Place,
    pub dir: PathBuf,
}

impl Place {
    pub fn new() -> Self {
        let folder =
            tempfile::Builder::new().prefix("sweepdeck-test-").tempdir().expect("a temporary folder");
        Self { folder, is_on_node: one_node::is_meant(), driver: None, clock: Vec::new() }
    }

    /// From now on the program and all that it starts go by this wall clock.
    pub fn with_clock(&mut self) -> FakeClock {
        let clock = FakeClock::new(self.path());
        self.clock = clock.environment().to_vec();
        clock
    }

    /// A world with a driver and the GPUs of a script (`tests/fake_nvml/library/lib.rs` says what it may hold). Runs
    /// lie next to the driver's library, so that its script can speak of their shards.
    pub fn with_gpus(script: &str) -> Self {
        let mut place = Self::new();
        place.driver = Some(FakeDriver::new(place.path(), &place.named(script)));
        place
    }

    /// From now on the GPUs are like this.
    pub fn gpus(&self, script: &str) {
        self.driver.as_ref().expect("a place with GPUs").says(&self.named(script));
    }

    /// The script with UUIDs of this place: runs on GPUs of the same name would respect each other's promises.
    fn named(&self, script: &str) -> String {
        let place = self.folder.path().file_name().expect("a folder with a name").to_string_lossy();
        let line = |line: &str| match line.strip_prefix("gpu ") {
            Some(number) => format!("{line}\n uuid GPU-{place}-{}\n", number.trim()),
            None => format!("{line}\n"),
        };
        script.lines().map(line).collect()
    }

    /// The library of the driver of this place.
    pub fn library(&self) -> Option<PathBuf> {
        self.driver.as_ref().map(FakeDriver::library)
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Puts a file there, whole at once: shards wait for files and read them as soon as they are there.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a name below the folder")).expect("a folder");
        let text = if self.is_on_node { one_node::put_elsewhere(name, text) } else { text.into() };
        let new = self.path().join(format!(".being-written-{:?}", std::thread::current().id()));
        fs::write(&new, text.as_ref()).expect("a file");
        if let Ok(older) = path.metadata() {
            fs::set_permissions(&new, older.permissions()).expect("it may be run if it could be");
        }
        fs::rename(&new, &path).expect("it gets its name");
        path
    }

    pub fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path().join(name)).ok()
    }

    /// The program with its folder and its own state, not yet started.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .args(words)
            .current_dir(self.path())
            .env("XDG_STATE_HOME", self.path().join("state"))
            .env("XDG_CONFIG_HOME", self.path().join("config"))
            .env_remove("SWEEPDECK_RUN")
            .env_remove("SWEEPDECK_DEMO_PACE")
            .env_remove("SWEEPDECK_LOG")
            .env_remove("SWEEPDECK_NVML")
            .env_remove("SLURM_JOB_ID")
            .env_remove("CUDA_VISIBLE_DEVICES")
            .env_remove("CUDA_DEVICE_ORDER")
            .env_remove("NVIDIA_VISIBLE_DEVICES")
            .stdin(Stdio::null());
        command.env("PATH", self.search_path(&[]));
        command.envs(self.clock.iter().map(|(name, value)| (name, value)));
        command.envs(self.driver.iter().map(|driver| ("SWEEPDECK_NVML", driver.library())));
        command
    }

    /// Where programs are looked for: in these folders first.
    pub fn search_path(&self, first: &[PathBuf]) -> OsString {
        let usual = std::env::var_os("PATH").unwrap_or_default();
        let stand_in = self.is_on_node.then(|| one_node::programs(self.path()));
        let folders = first.iter().cloned().chain(stand_in).chain(std::env::split_paths(&usual));
        std::env::join_paths(folders).expect("folders without colons")
    }

    /// Runs the program to its end.
    pub fn sweepdeck(&self, words: &[&str]) -> Ended {
        Ended::of(&mut self.command(words))
    }

    /// Starts a sweep in the background.
    pub fn start(&self, sweep: &str) -> Run<'_> {
        self.write("sweep.toml", sweep);
        self.start_with(&["run", "sweep.toml", "--detach", "--out", "r"])
    }

    /// Starts a run with these words, which name `r` as its folder.
    pub fn start_with(&self, words: &[&str]) -> Run<'_> {
        let started = self.sweepdeck(words);
        assert_eq!(started.code, Some(0), "{started:?}");
        Run { place: self, dir: self.path().join("r") }
    }

    /// The run in the folder of that name, however it was started.
    pub fn run(&self, folder: &str) -> Run<'_> {
        Run { place: self, dir: self.path().join(folder) }
    }

    /// Runs a sweep in the foreground.
    pub fn run_headless(&self, sweep: &str) -> (Ended, Run<'_>) {
        self.write("sweep.toml", sweep);
        let ended = self.sweepdeck(&["run", "sweep.toml", "--headless", "--out", "r"]);
        (ended, Run { place: self, dir: self.path().join("r") })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.tell_what_happened();
        }
        processes::end_all_of(self.folder.path());
    }
}

impl Place {
    /// Prints what the runs of a test that fails have recorded, and what still runs: it is gone after the test.
    #[expect(clippy::print_stderr, reason = "it is for whoever reads why the test failed")]
    fn tell_what_happened(&self) {
        let runs = fs::read_dir(self.path()).into_iter().flatten().flatten();
        for run in runs.map(|entry| entry.path()).filter(|path| path.join("plan.json").exists()) {
            for name in ["journal.jsonl", "supervisor.log"] {
                let text = fs::read(run.join(name)).unwrap_or_default();
                let text = String::from_utf8_lossy(&text).into_owned();
                let lines: Vec<&str> = text.lines().collect();
                eprintln!("-- the end of {name} in {}:", run.display());
                lines.iter().skip(lines.len().saturating_sub(40)).for_each(|line| eprintln!("{line}"));
            }
        }
        for pid in processes::of(self.path()) {
            let command = processes::command(pid);
            eprintln!("-- process {pid}, state {:?}: {command}", processes::state(pid));
        }
    }
}

impl Run<'_> {
    /// The run's folder as a word of the command line.
    pub fn word(&self) -> &str {
        self.dir.to_str().expect("temporary folders have plain names")
    }

    /// A verb about this run.
    pub fn sweepdeck(&self, verb: &str, words: &[&str]) -> Ended {
        let mut all = vec![verb, self.word()];
        all.extend(words);
        let ended = self.place.sweepdeck(&all);
        if self.place.is_on_node && ASKING.contains(&verb) && ended.code == Some(0) {
            one_node::wait_for_orders(&self.dir);
        }
        ended
    }

    /// A verb about this run that must work.
    pub fn does(&self, verb: &str, words: &[&str]) -> Ended {
        let ended = self.sweepdeck(verb, words);
        assert_eq!(ended.code, Some(0), "{verb} {words:?}: {ended:?}");
        ended
    }

    pub fn status(&self) -> Value {
        serde_json::from_str(&self.does("status", &["--json"]).stdout).expect("status prints JSON")
    }

    /// The part of the status about one shard.
    pub fn shard(&self, id: &str) -> Value {
        let status = self.status();
        let shards = status["shards"].as_array().expect("a list of shards");
        shards
            .iter()
            .find(|shard| shard["id"] == id)
            .unwrap_or_else(|| panic!("no shard {id}: {status}"))
            .clone()
    }

    pub fn count(&self, phase: &str) -> u64 {
        self.status()["counts"][phase].as_u64().expect("every phase is counted")
    }

    pub fn until_phase(&self, id: &str, phase: &str) {
        until(&format!("{id} is {phase}"), || self.shard(id)["phase"] == phase);
    }

    /// Waits for the end with the verb of that name; gives its exit code.
    pub fn wait(&self) -> Option<i32> {
        self.sweepdeck("wait", &[]).code
    }

    /// The pid of the supervisor that lives now.
    pub fn supervisor(&self) -> Option<u32> {
        let record = fs::read_to_string(self.dir.join("supervisor.json")).ok()?;
        let pid = serde_json::from_str::<Value>(&record).ok()?["pid"].as_u64()?;
        let pid = u32::try_from(pid).ok()?;
        processes::state(pid).map(|_| pid)
    }

    /// The log of an attempt.
    pub fn log(&self, shard: &str, attempt: u32) -> String {
        let path = self.dir.join(format!("shards/{shard}/attempt-{attempt:02}/output.log"));
        fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }
}
