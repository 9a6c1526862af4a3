//! The faults, and when they happen.

use std::fs;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::chance::Chance;
use crate::processes::{self, Part};
use crate::round::Round;

/// Kind of faults of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// SIGKILL of some processes.
    Kill,
    /// SIGSTOP of the supervisor, then SIGCONT or SIGKILL.
    Stop,
    /// Everything at once, then `recover`.
    Everything,
    /// Two of keeper, supervisor and spawner in one instant.
    Pair,
    /// SIGKILL, and verbs between.
    Verbs,
    /// Few descriptors.
    Descriptors,
    /// Bytes without sense at the sockets.
    Garbage,
    /// Files that are damaged, emptied and removed.
    Damage,
    /// A full disk; needs root.
    FullDisk,
}

const KINDS: [Fault; 9] = [
    Fault::Kill,
    Fault::Stop,
    Fault::Everything,
    Fault::Pair,
    Fault::Verbs,
    Fault::Descriptors,
    Fault::Garbage,
    Fault::Damage,
    Fault::FullDisk,
];

/// Parts of a run that start each other again.
const OWN_PARTS: [Part; 3] = [Part::Keeper, Part::Supervisor, Part::Spawner];

/// A shard whose attempts are lost four times fails for good.
pub const MOST_LOSSES: u32 = 3;

/// The fault that `SWEEPDECK_CHAOS_FAULT` names for all rounds.
pub fn asked_for<T: Copy + std::fmt::Debug>(kinds: &[T]) -> Option<T> {
    let name = std::env::var("SWEEPDECK_CHAOS_FAULT").ok()?;
    let is_meant = |kind: &T| format!("{kind:?}").eq_ignore_ascii_case(&name);
    Some(kinds.iter().copied().find(is_meant).unwrap())
}

impl Fault {
    /// The fault of a round; where one is asked for by its name (`stop`), that one in all rounds.
    pub fn of_seed(seed: u64) -> Self {
        if let Some(kind) = asked_for(&KINDS) {
            return kind;
        }
        match KINDS[(seed % KINDS.len() as u64) as usize] {
            Self::FullDisk if !rustix::process::geteuid().is_root() => Self::Kill,
            kind => kind,
        }
    }
}

/// State of the faults of a round.
pub struct Faults {
    kind: Fault,
    losses: u32,
    pub kills: u64,
    /// Clients that stay connected and say nothing.
    silent: Vec<UnixStream>,
    filler: Option<PathBuf>,
}

impl Faults {
    pub fn new(kind: Fault) -> Self {
        Self { kind, losses: 0, kills: 0, silent: Vec::new(), filler: None }
    }

    /// One fault, or none that fits at this moment.
    pub fn strike(&mut self, round: &Round, chance: &mut Chance) {
        match self.kind {
            Fault::Kill | Fault::Descriptors => self.kill_some(round, chance),
            Fault::Stop => self.stop_one(round, chance),
            Fault::Everything => self.kill_all(round),
            Fault::Pair => self.kill_pair(round, chance),
            Fault::Verbs if chance.between(0, 2) == 0 => call_verb(round, chance),
            Fault::Verbs => self.kill_some(round, chance),
            Fault::Garbage => self.send_garbage(round, chance),
            Fault::Damage => self.damage_file(round, chance),
            Fault::FullDisk => self.fill_or_free(round, chance),
        }
    }

    /// The machine is well again.
    pub fn end(&mut self) {
        self.silent.clear();
        if let Some(filler) = self.filler.take() {
            fs::remove_file(filler).unwrap();
        }
    }

    fn kill(&mut self, pids: impl IntoIterator<Item = u32>) {
        self.kills += pids.into_iter().filter(|pid| processes::send(*pid, Signal::KILL)).count() as u64;
    }

    fn kill_some(&mut self, round: &Round, chance: &mut Chance) {
        let living = processes::list(&round.run);
        let may_lose = self.losses < MOST_LOSSES;
        let parts = [Part::Supervisor, Part::Supervisor, Part::Keeper, Part::Spawner, Part::Holder];
        let part = *chance.one_of(&parts).unwrap();
        if part == Part::Holder && !may_lose {
            return;
        }
        let victims: Vec<u32> = living.iter().filter(|(of, _)| *of == part).map(|(_, pid)| *pid).collect();
        let guards = living.iter().filter(|(of, _)| OWN_PARTS.contains(of)).count();
        // One is left to start the others again.
        let victim = chance.one_of(&victims).copied().filter(|_| guards > 1 || part == Part::Holder);
        self.losses += u32::from(part == Part::Holder && victim.is_some());
        self.kill(victim);
    }

    fn kill_all(&mut self, round: &Round) {
        if self.losses == MOST_LOSSES {
            return;
        }
        self.losses += 1;
        // Stopped first: what one look misses would start others while the rest dies.
        let mut stopped = Vec::new();
        loop {
            let living = processes::list(&round.run);
            if living == stopped {
                break;
            }
            living.iter().for_each(|(_, pid)| _ = processes::send(*pid, Signal::STOP));
            stopped = living;
        }
        self.kill(stopped.into_iter().map(|(_, pid)| pid));
        round.sweepdeck(&["recover", round.word()]);
    }

    fn kill_pair(&mut self, round: &Round, chance: &mut Chance) {
        let left = *chance.one_of(&OWN_PARTS).unwrap();
        let living = processes::list(&round.run);
        // Two pairs one after the other are four, and there are three.
        if !OWN_PARTS.iter().all(|part| living.iter().any(|(of, _)| of == part)) {
            return;
        }
        let victims = living.into_iter().filter(|(part, _)| OWN_PARTS.contains(part) && *part != left);
        self.kill(victims.map(|(_, pid)| pid));
    }

    fn stop_one(&mut self, round: &Round, chance: &mut Chance) {
        let living = processes::list(&round.run);
        let Some((_, pid)) = living.into_iter().find(|(part, _)| *part == Part::Supervisor) else { return };
        processes::send(pid, Signal::STOP);
        std::thread::sleep(Duration::from_millis(chance.between(10, 400)));
        match chance.between(0, 3) {
            0 => self.kill([pid]),
            1 => _ = processes::send(pid, Signal::CONT),
            // Its keeper ends it.
            _ => {}
        }
    }

    fn send_garbage(&mut self, round: &Round, chance: &mut Chance) {
        let mut records = vec![round.run.join("supervisor.json")];
        let shards = fs::read_dir(round.run.join("shards")).into_iter().flatten().flatten();
        records.extend(shards.map(|shard| shard.path().join("attempt-01/started.json")));
        let Some(record) = chance.one_of(&records) else { return };
        let text = fs::read(record).unwrap_or_default();
        let Ok(Value::String(socket)) =
            serde_json::from_slice::<Value>(&text).map(|record| record["socket"].clone())
        else {
            return;
        };
        let Ok(mut stream) = UnixStream::connect(socket) else { return };
        let sent = match chance.between(0, 4) {
            0 => bytes(chance, 300),
            1 => b"{\"version\":1,\"command\":{\"kill\":".to_vec(),
            2 => b"{\"version\":1,\"purpose\":\"control\"}\n\xff\xff\xff\xff\xff".to_vec(),
            _ => Vec::new(),
        };
        let _ = stream.set_write_timeout(Some(Duration::from_millis(200)));
        let _ = stream.write_all(&sent);
        if chance.between(0, 2) == 0 {
            self.silent.push(stream);
        }
        if chance.between(0, 3) == 0 {
            self.kill_some(round, chance);
        }
    }

    fn damage_file(&mut self, round: &Round, chance: &mut Chance) {
        let names = [
            "waiting.json",
            "write_troubles.json",
            "supervisor.json",
            "telemetry/shard_metrics.csv",
            "telemetry/host_metrics.csv",
            "telemetry/gpus.json",
            "results/summary.json",
            "logs",
            "telemetry",
            "results",
        ];
        let path = round.run.join(chance.one_of(&names).unwrap());
        let noise = bytes(chance, 200);
        match chance.between(0, 3) {
            0 if path.is_dir() => _ = fs::remove_dir_all(&path),
            _ if path.is_dir() => {
                _ = fs::read_dir(&path)
                    .map(|entries| entries.flatten().for_each(|entry| _ = fs::remove_file(entry.path())))
            }
            0 => _ = fs::remove_file(&path),
            1 => _ = fs::write(&path, ""),
            _ => _ = fs::write(&path, noise),
        }
        self.kill_some(round, chance);
    }

    fn fill_or_free(&mut self, round: &Round, chance: &mut Chance) {
        match self.filler.take() {
            Some(filler) => fs::remove_file(filler).unwrap(),
            None => {
                let filler = round.run.parent().unwrap().join("filler");
                let mut file = fs::File::create(&filler).unwrap();
                while file.write_all(&[7; 65536]).is_ok() {}
                while file.write_all(&[7]).is_ok() {}
                self.filler = Some(filler);
            }
        }
        if chance.between(0, 2) == 0 {
            self.kill_some(round, chance);
        }
    }
}

fn call_verb(round: &Round, chance: &mut Chance) {
    let shard = chance.one_of(&round.names()).cloned().unwrap();
    let parallel = chance.between(1, 9).to_string();
    let run = round.word();
    let calls: [&[&str]; 8] = [
        &["pause", run, &shard],
        &["resume", run, "--all"],
        &["kill", run, &shard],
        &["requeue", run, &shard],
        &["set", run, "--parallel", &parallel],
        &["recover", run],
        &["status", run, "--json"],
        &["priority", run, &shard, "--set", "3"],
    ];
    round.sweepdeck(chance.one_of(&calls).unwrap());
}

/// A file system of its own, small enough to fill.
pub fn mount(at: &Path) -> bool {
    fs::create_dir_all(at).unwrap();
    let mut mount = std::process::Command::new("mount");
    mount
        .args(["-t", "tmpfs", "-o", "size=12m", "tmpfs"])
        .arg(at)
        .status()
        .is_ok_and(|status| status.success())
}

fn bytes(chance: &mut Chance, count: usize) -> Vec<u8> {
    (0..count).map(|_| chance.number() as u8).collect()
}
