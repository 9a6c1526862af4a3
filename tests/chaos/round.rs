//! One round: a sweep with known ends, faults for a while, then peace until it has ended.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::Count;
use crate::chance::Chance;
use crate::faults::{self, Fault, Faults};
use crate::judge::{self, Evidence, Work};
use crate::processes;

/// How long faults happen.
const TROUBLE: Duration = Duration::from_secs(4);

/// No sweep needs so long once the machine is well again.
const PATIENCE: Duration = Duration::from_secs(60);

/// Ends of programs that fail. Each comes once in a round: the same failure three times holds the queue.
const FAILURES: [&str; 8] = ["1", "2", "3", "7", "42", "255", "sig15", "sig11"];

/// A sweep in a folder of its own.
pub struct Round {
    pub kind: Fault,
    folder: tempfile::TempDir,
    pub run: PathBuf,
    pub work: Vec<Work>,
    parallel: u64,
    has_mount: bool,
}

/// Plays the round of a seed and judges it.
pub fn play(seed: u64) -> Count {
    let mut chance = Chance::new(seed);
    let round = Round::prepare(Fault::of_seed(seed), &mut chance);
    let mut faults = Faults::new(round.kind);
    let started = round.start();
    assert!(started.status.success(), "seed {seed}: {started:?}");
    let begun = Instant::now();
    while begun.elapsed() < TROUBLE && !judge::has_ended(&round.run) {
        std::thread::sleep(Duration::from_millis(chance.between(20, 300)));
        faults.strike(&round, &mut chance);
    }
    faults.end();
    let has_ended = round.let_end();
    let witness = round.witness();
    let by_user = round.kind == Fault::Verbs;
    let evidence = Evidence { run: &round.run, witness: &witness, work: &round.work, by_user };
    let mut count = judge::judge(&evidence, has_ended);
    count.kills = faults.kills;
    if !has_ended {
        count.notes.push(format!("alive at the end: {:?}", processes::list(&round.run)));
    }
    count.notes.iter_mut().for_each(|note| *note = format!("seed {seed} ({:?}): {note}", round.kind));
    if !count.notes.is_empty() {
        round.keep(seed);
    }
    count
}

/// So many shards that last up to so long.
pub fn invent_work(chance: &mut Chance, shards: u64, longest: u64) -> Vec<Work> {
    let mut failures = FAILURES.to_vec();
    let mut invent = |number| {
        let fails = !failures.is_empty() && chance.between(0, 4) == 0;
        let end =
            if fails { failures.swap_remove(chance.between(0, failures.len() as u64) as usize) } else { "0" };
        Work { name: format!("s{number}"), milliseconds: chance.between(20, longest), end: end.to_owned() }
    };
    (0..shards).map(&mut invent).collect()
}

/// The sweep of that work, whose programs leave witnesses in a folder.
pub fn write_sweep(work: &[Work], witness: &Path, parallel: u64, more: &str) -> String {
    let cells: String = work
        .iter()
        .map(|Work { name, milliseconds, end }| {
            format!(
                "  {{ n = \"{name}\", seconds = \"{}\", end = \"{end}\" }},\n",
                *milliseconds as f64 / 1000.0
            )
        })
        .collect();
    // Beside the witnesses, which all machines of a round see.
    let worker = witness.join("worker.sh");
    fs::write(&worker, include_str!("worker.sh")).unwrap();
    format!(
        "name = \"chaos\"\n{more}[matrix]\ninclude = [\n{cells}]\n[shard]\nid = \"{{{{ n }}}}\"\n\
         command = [\"bash\", \"{}\", \"{}\", \"{{{{ n }}}}\", \"{{{{ seconds }}}}\", \"{{{{ end }}}}\"]\n\
         [schedule]\nparallel = {parallel}\nlinger = \"1s\"\ngrace = {{ interrupt = \"200ms\", terminate = \"200ms\" }}\n",
        worker.display(),
        witness.display(),
    )
}

impl Round {
    fn prepare(kind: Fault, chance: &mut Chance) -> Self {
        let folder = tempfile::Builder::new().prefix("sweepdeck-chaos-").tempdir().unwrap();
        let shards = chance.between(10, 28);
        let work = invent_work(chance, shards, 600);
        let has_mount = kind == Fault::FullDisk && faults::mount(&folder.path().join("mount"));
        let run = folder.path().join(if has_mount { "mount/run" } else { "run" });
        fs::create_dir(folder.path().join("witness")).unwrap();
        Self { kind, folder, run, work, parallel: chance.between(2, 10), has_mount }
    }

    fn start(&self) -> Output {
        let sweep = write_sweep(&self.work, &self.witness(), self.parallel, "");
        let file = self.folder.path().join("sweep.toml");
        fs::write(&file, sweep).unwrap();
        let words = ["run", file.to_str().unwrap(), "--detach", "--out", self.word()];
        if self.kind == Fault::Descriptors {
            let mut shell = Command::new("bash");
            shell.args(["-c", "ulimit -n 40; exec \"$@\"", "-", env!("CARGO_BIN_EXE_sweepdeck")]).args(words);
            return self.call(shell);
        }
        self.sweepdeck(&words)
    }

    /// Runs a verb to its end, whatever that is.
    pub fn sweepdeck(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sweepdeck"));
        command.args(words);
        self.call(command)
    }

    fn call(&self, mut command: Command) -> Output {
        let state = self.folder.path().join("state");
        command.env("XDG_STATE_HOME", state).env("XDG_CONFIG_HOME", self.folder.path().join("config"));
        command.env_remove("SWEEPDECK_RUN").stdin(Stdio::null()).output().unwrap()
    }

    pub fn word(&self) -> &str {
        self.run.to_str().unwrap()
    }

    pub fn witness(&self) -> PathBuf {
        self.folder.path().join("witness")
    }

    pub fn names(&self) -> Vec<String> {
        self.work.iter().map(|work| work.name.clone()).collect()
    }

    /// Waits for the end. A person helps where verbs have stopped a part of the run, and nowhere else.
    fn let_end(&self) -> bool {
        let deadline = Instant::now() + PATIENCE;
        let is_helped = self.kind == Fault::Verbs;
        let mut next_help = Instant::now();
        while Instant::now() < deadline {
            if judge::has_ended(&self.run) {
                return true;
            }
            if is_helped && Instant::now() >= next_help {
                self.sweepdeck(&["resume", self.word(), "--all"]);
                next_help = Instant::now() + Duration::from_secs(2);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }

    /// What went wrong is kept for a person.
    fn keep(&self, seed: u64) {
        let kept = std::env::temp_dir().join(format!("sweepdeck-chaos-seed-{seed}"));
        let _ = Command::new("cp").arg("-a").args([self.folder.path(), &kept]).status();
    }
}

impl Drop for Round {
    fn drop(&mut self) {
        let mut looks_without = 0;
        while looks_without < 3 {
            let living = processes::list(&self.run);
            looks_without = if living.is_empty() { looks_without + 1 } else { 0 };
            living.into_iter().for_each(|(_, pid)| _ = processes::send(pid, Signal::KILL));
            std::thread::sleep(Duration::from_millis(10));
        }
        if self.has_mount {
            let _ = Command::new("umount").arg("-l").arg(self.folder.path().join("mount")).status();
        }
    }
}
