//! One round: a sweep with known ends on several machines, faults for a while, then peace until it has ended.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use super::faults::{Fault, Faults};
use super::judge::judge_nodes;
use super::machines::Machines;
use crate::Count;
use crate::chance::Chance;
use crate::judge::{self, Evidence, Work};
use crate::round::{invent_work, write_sweep};

/// How long faults happen.
const TROUBLE: Duration = Duration::from_secs(12);

/// No sweep needs so long once all is well again: a host is tried again after twenty seconds, and silence lasts ten.
const PATIENCE: Duration = Duration::from_secs(180);

/// Slurm is asked every half minute at most, and up to two minutes apart.
const PATIENCE_WITH_SLURM: Duration = Duration::from_secs(400);

/// A sweep whose shards are dealt to machines.
pub struct Round<'a> {
    pub machines: &'a Machines,
    kind: Fault,
    pub folder: PathBuf,
    witness: PathBuf,
    pub run: PathBuf,
    pub work: Vec<Work>,
    parallel: u64,
}

/// Plays the round of a seed and judges it.
pub fn play(seed: u64, machines: &Machines) -> Count {
    let mut chance = Chance::new(seed);
    let round = Round::prepare(seed, machines, &mut chance);
    let mut faults = Faults::new(round.kind);
    let started = round.start();
    assert!(started.status.success(), "seed {seed}: {started:?}");
    let begun = Instant::now();
    while begun.elapsed() < TROUBLE && !judge::has_ended(&round.run) {
        std::thread::sleep(Duration::from_millis(chance.between(20, 800)));
        faults.strike(&round, &mut chance);
    }
    faults.end(&round);
    let has_ended = round.let_end();
    let by_user = round.kind == Fault::Verbs;
    let evidence = Evidence { run: &round.run, witness: &round.witness, work: &round.work, by_user };
    let mut count = judge::judge(&evidence, has_ended);
    judge_nodes(&round.run, &mut count);
    count.kills = faults.kills;
    count.notes.iter_mut().for_each(|note| *note = format!("seed {seed} ({:?}): {note}", round.kind));
    if !count.notes.is_empty() {
        round.keep(seed);
    }
    count
}

impl<'a> Round<'a> {
    fn prepare(seed: u64, machines: &'a Machines, chance: &mut Chance) -> Self {
        let (folder, witness) = machines.folders(seed);
        let shards = chance.between(12, 40);
        let mut work = invent_work(chance, shards, 1500);
        if machines.are_lent() {
            // So Slurm ends the programs of a job, and who sent it is not to be seen.
            work.iter_mut().filter(|work| work.end == "sig15").for_each(|work| work.end = "1".to_owned());
        }
        let kind = Fault::of_seed(seed, machines.are_lent());
        let (run, parallel) = (folder.join("run"), chance.between(1, 5));
        Self { machines, kind, folder, witness, run, work, parallel }
    }

    fn start(&self) -> Output {
        let file = self.folder.join("sweep.toml");
        fs::write(&file, write_sweep(&self.work, &self.witness, self.parallel, &self.machines.table()))
            .unwrap();
        self.sweepdeck(&["run", file.to_str().unwrap(), "--detach", "--out", self.word()])
    }

    /// Runs a verb on the machine of the run to its end, whatever that is.
    pub fn sweepdeck(&self, words: &[&str]) -> Output {
        self.machines.sweepdeck(words)
    }

    pub fn word(&self) -> &str {
        self.run.to_str().unwrap()
    }

    pub fn names(&self) -> Vec<String> {
        self.work.iter().map(|work| work.name.clone()).collect()
    }

    /// Waits for the end. A person helps where verbs have stopped a part of the run, and nowhere else.
    fn let_end(&self) -> bool {
        let patience = if self.machines.are_lent() { PATIENCE_WITH_SLURM } else { PATIENCE };
        let deadline = Instant::now() + patience;
        let is_helped = self.kind == Fault::Verbs;
        let mut next_help = Instant::now();
        while Instant::now() < deadline {
            if judge::has_ended(&self.run) {
                if !is_helped || judge::has_finished(&self.run) {
                    return true;
                }
                self.sweepdeck(&["recover", self.word()]);
            }
            if is_helped && Instant::now() >= next_help {
                self.sweepdeck(&["resume", self.word(), "--all"]);
                next_help = Instant::now() + Duration::from_secs(3);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        false
    }

    /// What went wrong is kept for a person.
    fn keep(&self, seed: u64) {
        let kept = std::env::temp_dir().join(format!("sweepdeck-chaos-nodes-seed-{seed}"));
        let _ = Command::new("cp").arg("-a").args([&self.folder, &kept]).status();
        let _ = Command::new("cp").arg("-a").args([&self.witness, &kept.join("witness")]).status();
    }
}

impl Drop for Round<'_> {
    fn drop(&mut self) {
        self.machines.clear(&self.run);
        for folder in [&self.folder, &self.witness] {
            let _ = fs::remove_dir_all(folder);
        }
    }
}
