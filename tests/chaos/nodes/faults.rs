//! The faults of a run on several machines, and when they happen.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::machines::{Connection, Machines, kill_all, node_folders};
use super::round::Round;
use crate::chance::Chance;
use crate::faults::{MOST_LOSSES, asked_for};
use crate::processes::{self, Part};

/// Kind of faults of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// SIGKILL of single processes anywhere, connections included.
    Kill,
    /// All of the run on its own machine at once, then `recover`.
    Dealer,
    /// A node loses its power.
    Power,
    /// A node is stopped, and goes on later.
    Freeze,
    /// Connections that fail in several ways.
    Connections,
    /// The machine of the run and a node at once.
    Together,
    /// SIGKILL, and verbs between.
    Verbs,
    /// SIGKILL of Slurm's controller, and of its daemons at nodes; started again later.
    Slurm,
    /// Jobs that are cancelled by hand.
    Cancel,
}

const KINDS: [Fault; 7] = [
    Fault::Kill,
    Fault::Dealer,
    Fault::Power,
    Fault::Freeze,
    Fault::Connections,
    Fault::Together,
    Fault::Verbs,
];

const KINDS_WITH_SLURM: [Fault; 8] = [
    Fault::Slurm,
    Fault::Kill,
    Fault::Cancel,
    Fault::Freeze,
    Fault::Together,
    Fault::Dealer,
    Fault::Power,
    Fault::Verbs,
];

impl Fault {
    /// The fault of a round; where one is asked for by its name (`freeze`), that one in all rounds.
    pub fn of_seed(seed: u64, has_slurm: bool) -> Self {
        let kinds: &[Self] = if has_slurm { &KINDS_WITH_SLURM } else { &KINDS };
        asked_for(kinds).unwrap_or(kinds[(seed % kinds.len() as u64) as usize])
    }
}

/// State of the faults of a round.
pub struct Faults {
    kind: Fault,
    losses: u32,
    pub kills: u64,
    frozen: Vec<(String, Instant)>,
    without_slurm: Vec<(String, Instant)>,
    disturbed: Vec<String>,
}

impl Faults {
    pub fn new(kind: Fault) -> Self {
        Self {
            kind,
            losses: 0,
            kills: 0,
            frozen: Vec::new(),
            without_slurm: Vec::new(),
            disturbed: Vec::new(),
        }
    }

    /// One fault, or none that fits at this moment.
    pub fn strike(&mut self, round: &Round<'_>, chance: &mut Chance) {
        self.thaw_due(round, Instant::now());
        self.serve_due(round, Instant::now());
        match self.kind {
            Fault::Kill => self.kill_one(round, chance),
            Fault::Dealer => self.kill_dealer(round, chance),
            Fault::Power => self.power_off(round, chance),
            Fault::Freeze => self.freeze(round, chance),
            Fault::Connections => self.disturb(round, chance),
            Fault::Together => {
                if chance.between(0, 3) > 0 {
                    return self.kill_one(round, chance);
                }
                self.kills += kill_all(&round.run);
                self.power_off(round, chance);
                self.end_slurm(round, chance);
                round.sweepdeck(&["recover", round.word()]);
            }
            Fault::Slurm => self.end_slurm(round, chance),
            Fault::Cancel => {
                if chance.between(0, 3) > 0 {
                    return self.kill_one(round, chance);
                }
                self.kills += u64::from(round.machines.cancel_job(chance));
            }
            Fault::Verbs if chance.between(0, 2) == 0 => call_verb(round, chance),
            Fault::Verbs => self.kill_one(round, chance),
        }
    }

    /// All machines are well again.
    pub fn end(&mut self, round: &Round<'_>) {
        for (host, _) in self.frozen.drain(..) {
            round.machines.thaw(&round.run, &host);
        }
        for (machine, _) in self.without_slurm.drain(..) {
            round.machines.serve(&machine, true);
        }
        for host in self.disturbed.drain(..) {
            round.machines.mend(&host);
        }
    }

    /// One process of the run, of a node, or of a connection.
    fn kill_one(&mut self, round: &Round<'_>, chance: &mut Chance) {
        let folders = folders(round);
        let folder = chance.one_of(&folders).unwrap();
        let parts =
            [Part::Supervisor, Part::Supervisor, Part::Keeper, Part::Spawner, Part::Holder, Part::Start];
        let part = *chance.one_of(&parts).unwrap();
        let living = processes::list(folder);
        let mut victims: Vec<u32> =
            living.iter().filter(|(of, _)| *of == part).map(|(_, pid)| *pid).collect();
        if chance.between(0, 6) == 0 {
            victims = processes::connections(&round.run);
        } else if part == Part::Holder {
            if self.losses == MOST_LOSSES || victims.is_empty() {
                return;
            }
            self.losses += 1;
        }
        if let Some(victim) = chance.one_of(&victims) {
            self.kills += u64::from(processes::send(*victim, Signal::KILL));
        }
    }

    fn kill_dealer(&mut self, round: &Round<'_>, chance: &mut Chance) {
        self.kills += kill_all(&round.run);
        std::thread::sleep(Duration::from_millis(chance.between(0, 3000)));
        round.sweepdeck(&["recover", round.word()]);
    }

    fn power_off(&mut self, round: &Round<'_>, chance: &mut Chance) {
        if self.losses == MOST_LOSSES {
            return;
        }
        self.losses += 1;
        self.kills += round.machines.power_off(&round.run, chance.one_of(&Machines::hosts()).unwrap());
    }

    fn freeze(&mut self, round: &Round<'_>, chance: &mut Chance) {
        let host = chance.one_of(&Machines::hosts()).cloned().unwrap();
        if self.frozen.iter().any(|(frozen, _)| *frozen == host) {
            return;
        }
        // Some are silent for longer than a beat may be.
        let longest = if chance.between(0, 4) == 0 { 20_000 } else { 3000 };
        let until = Instant::now() + Duration::from_millis(chance.between(10, longest));
        round.machines.freeze(&round.run, &host);
        self.frozen.push((host, until));
    }

    fn thaw_due(&mut self, round: &Round<'_>, now: Instant) {
        for (host, _) in self.frozen.extract_if(.., |(_, until)| *until <= now) {
            round.machines.thaw(&round.run, &host);
        }
    }

    /// Slurm is gone for a while from a machine or from where it is asked.
    fn end_slurm(&mut self, round: &Round<'_>, chance: &mut Chance) {
        let mut machines = Machines::hosts();
        machines.extend(["login".to_owned(), "login".to_owned()]);
        let machine = chance.one_of(&machines).cloned().unwrap();
        if self.without_slurm.iter().any(|(without, _)| *without == machine) {
            return self.kill_one(round, chance);
        }
        if round.machines.serve(&machine, false) {
            self.kills += 1;
            // Some are gone for longer than Slurm waits for one.
            let longest = if chance.between(0, 3) == 0 { 20_000 } else { 4000 };
            self.without_slurm
                .push((machine, Instant::now() + Duration::from_millis(chance.between(10, longest))));
        }
    }

    fn serve_due(&mut self, round: &Round<'_>, now: Instant) {
        for (machine, _) in self.without_slurm.extract_if(.., |(_, until)| *until <= now) {
            round.machines.serve(&machine, true);
        }
    }

    fn disturb(&mut self, round: &Round<'_>, chance: &mut Chance) {
        let host = chance.one_of(&Machines::hosts()).cloned().unwrap();
        match chance.between(0, 4) {
            0 => {
                let connections = processes::connections(&round.run);
                let victim = chance.one_of(&connections).copied();
                self.kills +=
                    victim.into_iter().filter(|pid| processes::send(*pid, Signal::KILL)).count() as u64;
            }
            1 => round.machines.mend(&host),
            _ => {
                let kinds = [Connection::Down, Connection::Silent, Connection::Deaf];
                round.machines.disturb(&host, *chance.one_of(&kinds).unwrap());
                self.disturbed.push(host);
            }
        }
        if chance.between(0, 4) == 0 {
            self.kill_one(round, chance);
        }
    }
}

/// The folders of the run and of its nodes.
fn folders(round: &Round<'_>) -> Vec<PathBuf> {
    let mut folders = node_folders(&round.run);
    folders.push(round.run.clone());
    folders
}

fn call_verb(round: &Round<'_>, chance: &mut Chance) {
    let shard = chance.one_of(&round.names()).cloned().unwrap();
    let parallel = chance.between(1, 5).to_string();
    let run = round.word();
    let calls: [&[&str]; 9] = [
        &["pause", run, &shard],
        &["resume", run, "--all"],
        &["kill", run, &shard],
        &["requeue", run, &shard],
        &["set", run, "--parallel", &parallel],
        &["recover", run],
        &["status", run, "--json"],
        &["priority", run, &shard, "--set", "3"],
        &["stop", run],
    ];
    round.sweepdeck(chance.one_of(&calls).unwrap());
}
