//! The part of the machine that this run holds, announced to the user's other runs, and the parts that those hold.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use rustix::param::page_size;
use tracing::warn;

use super::machine::{self, MachineSurvey};
use super::neighbour_claims::NeighbourClaims;
use crate::model::attempt::ProcessIdentity;
use crate::model::claims::claim::{AttemptClaim, CLAIMS_VERSION, Claim, RunClaims};
use crate::model::ids::{AttemptKey, GpuIndex, RunId};
use crate::model::machine::sample::GpuInventory;
use crate::model::outcome::MemoryHolder;
use crate::model::state::fact::Event;
use crate::model::units::Bytes;
use crate::process::tree;
use crate::rundir::lock::Lock;
use crate::rundir::machine_wide::claims::ClaimsFolder;
use crate::rundir::machine_wide::discover;
use crate::scheduler::input::SchedulerInput;
use crate::scheduler::machine::{OtherClaim, OtherGpu};
use crate::scheduler::policy::SchedulingPolicy;
use crate::socket::address;
use crate::supervisor::error::SupervisorError;
use crate::telemetry::host::HostMonitor;
use crate::telemetry::proc_files;

/// The promises of this run and of the others.
pub(in crate::supervisor) struct Reservations {
    /// None where nothing that is promised depends on the machine.
    folder: Option<ClaimsFolder>,
    run: RunId,
    /// Folder that lists the runs of this user that were started like this one.
    state_folder: Option<PathBuf>,
    owners: Vec<ProcessIdentity>,
    /// The GPUs by the name that does not depend on who asks.
    names: HashMap<GpuIndex, String>,
    /// Other runs are weighed by their main memory too.
    weighs_ram: bool,
    holders: HashMap<AttemptKey, ProcessIdentity>,
    published: Vec<AttemptClaim>,
    others: Vec<RunClaims>,
    look: Option<MachineSurvey>,
    /// The scheduler knows of the last look and of the others.
    is_told: bool,
    neighbours: NeighbourClaims,
}

impl Reservations {
    /// Begins with nothing promised; `owners` are the supervisor and its keeper.
    pub(in crate::supervisor) fn open(
        run: &RunId,
        owners: Vec<ProcessIdentity>,
        policy: &SchedulingPolicy,
        inventory: &GpuInventory,
    ) -> Result<Self, SupervisorError> {
        let name = |card: &crate::model::machine::sample::GpuCard| (card.index, card.uuid.clone());
        let folder = if policy.weighs_machine() { Some(open_folder(run)?) } else { None };
        Ok(Self {
            folder,
            run: run.clone(),
            state_folder: discover::pointers_folder().ok().and_then(|runs| runs.parent().map(Path::to_owned)),
            owners,
            names: inventory.cards().iter().map(name).collect(),
            weighs_ram: policy.weighs_ram(),
            holders: HashMap::new(),
            published: Vec::new(),
            others: Vec::new(),
            look: None,
            is_told: true,
            neighbours: NeighbourClaims::open(run, &policy.schedule.neighbours),
        })
    }

    /// The rules of the run have changed.
    pub(in crate::supervisor) fn follow_policy(
        &mut self,
        policy: &SchedulingPolicy,
    ) -> Result<(), SupervisorError> {
        if self.folder.is_none() && policy.weighs_machine() {
            self.folder = Some(open_folder(&self.run)?);
        }
        self.weighs_ram = policy.weighs_ram();
        Ok(())
    }

    /// The machine was looked at.
    pub(in crate::supervisor) fn set_look(&mut self, look: MachineSurvey) {
        self.look = Some(look);
        self.is_told = false;
    }

    /// The holder of an attempt is known.
    pub(in crate::supervisor) fn note_holder(&mut self, key: AttemptKey, holder: ProcessIdentity) {
        self.holders.insert(key, holder);
    }

    /// Returns what the scheduler has to know before it decides. Where something may start, no other run of this user
    /// promises anything until the lock is dropped.
    pub(in crate::supervisor) fn collect_inputs(
        &mut self,
        may_start: bool,
    ) -> (Option<Lock>, Vec<SchedulerInput>) {
        let mut lock = None;
        if let Some(folder) = self.folder.as_ref().filter(|_| may_start) {
            lock = folder.lock().unwrap_or_else(|error| {
                warn!("{error}");
                None
            });
            let others = folder.read_others();
            let is_news = self.neighbours.refresh_others();
            self.is_told &= others == self.others && !is_news;
            self.others = others;
        }
        if self.is_told {
            return (lock, Vec::new());
        }
        self.is_told = true;
        let of_run = |other: &'_ RunClaims| (self.holder_of(other), other.attempts.clone());
        let others: Vec<(String, Vec<AttemptClaim>)> = self.others.iter().map(of_run).collect();
        let own = others.iter().flat_map(|(holder, attempts)| {
            attempts.iter().map(|attempt| OtherClaim { holder: holder.clone(), ..self.other_claim(attempt) })
        });
        let foreign = self.neighbours.unused_claims(&self.names, self.look.as_ref());
        let mut inputs = vec![SchedulerInput::Others(own.chain(foreign).collect())];
        if let Some(look) = &self.look {
            let mut machine = look.with_strangers(&self.holders_of_others());
            if self.weighs_ram && !self.others.is_empty() {
                // What the others use was read just now, and memory that they have taken since the look is not in it.
                machine.ram = machine::host_ram(&HostMonitor::new().read_sample(machine.at)).or(machine.ram);
            }
            inputs.push(SchedulerInput::Machine(Box::new(machine)));
        }
        (lock, inputs)
    }

    /// Names the run whose promises these are. A run of another state folder is listed nowhere where this one is.
    fn holder_of(&self, other: &RunClaims) -> String {
        match &other.state_folder {
            Some(folder) if self.state_folder.as_ref() != Some(folder) => {
                format!("the run {} of another state folder ({})", other.run, folder.display())
            }
            Some(_) | None => format!("the run {}", other.run),
        }
    }

    fn holders_of_others(&self) -> HashSet<u32> {
        let others = self.others.iter().flat_map(|other| &other.attempts);
        others.filter_map(|other| other.holder.as_ref()).map(|holder| holder.pid).collect()
    }

    /// Marks those that no run of this user has started. The message of an allocator names them by the numbers of the
    /// driver: one that is on no GPU here may be another process in another container.
    pub(in crate::supervisor) fn mark_strangers(&self, named: &mut [MemoryHolder]) {
        let Some(look) = self.look.as_ref().filter(|_| !named.is_empty()) else { return };
        let holders = self.holders_of_others();
        for process in named {
            process.stranger = look.has_stranger(process.pid, &holders);
        }
    }

    fn other_claim(&self, other: &AttemptClaim) -> OtherClaim {
        let named = |name: &String| self.names.iter().find(|(_, own)| *own == name).map(|(gpu, _)| *gpu);
        let holder = other.holder.as_ref().map(|holder| holder.pid);
        let gpu = |(slot, name): (usize, &String)| {
            let gpu = named(name)?;
            let used = match (holder, &self.look) {
                (Some(holder), Some(look)) => look.used_below(holder, gpu),
                // Before its start it uses nothing.
                (None, _) => Some(Bytes(0)),
                (Some(_), None) => None,
            };
            Some(OtherGpu { gpu, claim: other.claim.vram.get(slot).copied().flatten(), used })
        };
        OtherClaim {
            holder: String::new(),
            gpus: other.gpus.iter().enumerate().filter_map(gpu).collect(),
            tenancy: other.claim.tenancy,
            cpus: other.claim.cpus,
            cores: other.claim.cores.clone(),
            ram: other.claim.ram,
            rss: holder.filter(|_| self.weighs_ram).map(resident_below),
        }
    }

    /// Announces to the other runs what this one holds: before a new promise is recorded, and while the lock is held,
    /// so that no run promises the same.
    pub(in crate::supervisor) fn publish_held<'h>(&mut self, held: impl Iterator<Item = Held<'h>>) {
        let Some(folder) = &self.folder else { return };
        let attempts: Vec<AttemptClaim> = held
            .map(|(key, gpus, claim)| AttemptClaim {
                holder: self.holders.get(&key).cloned(),
                gpus: gpus.iter().filter_map(|gpu| self.names.get(gpu).cloned()).collect(),
                claim: claim.into_owned(),
                key,
            })
            .collect();
        if attempts == self.published {
            return;
        }
        self.holders.retain(|key, _| attempts.iter().any(|attempt| attempt.key == *key));
        let claims = RunClaims {
            version: CLAIMS_VERSION,
            run: self.run.clone(),
            state_folder: self.state_folder.clone(),
            owners: self.owners.clone(),
            attempts,
        };
        if let Some(owner) = claims.owners.first() {
            self.neighbours.announce_held(owner, &claims.attempts);
        }
        if claims.attempts.is_empty() {
            folder.withdraw();
        } else if let Err(error) = folder.publish(&claims) {
            warn!("{error}");
        }
        self.published = claims.attempts;
    }
}

/// An attempt, its GPUs, and what it holds.
pub(in crate::supervisor) type Held<'h> = (AttemptKey, &'h [GpuIndex], Cow<'h, Claim>);

/// Returns what is held once `facts` hold too.
pub(in crate::supervisor) fn held_after<'h>(
    held: impl Iterator<Item = Held<'h>>,
    facts: &'h [Event],
) -> impl Iterator<Item = Held<'h>> {
    let has_ended = |key: &AttemptKey| {
        facts.iter().any(|fact| {
            matches!(fact, Event::AttemptEnded { shard, .. } | Event::AttemptPutBack { shard, .. } if *shard == key.shard)
        })
    };
    let starting = facts.iter().filter_map(|fact| {
        let Event::AttemptStarting { shard, attempt, gpus, claim, .. } = fact else { return None };
        let key = AttemptKey { shard: shard.clone(), attempt: *attempt };
        Some((key, gpus.as_slice(), Cow::Borrowed(claim)))
    });
    held.filter(move |(key, _, _)| !has_ended(key)).chain(starting)
}

fn open_folder(run: &RunId) -> Result<ClaimsFolder, SupervisorError> {
    let socket = address::of_run(run)?;
    let name = socket.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(ClaimsFolder::open(&socket.with_file_name("claims"), &name)?)
}

/// Main memory of everything below a holder.
fn resident_below(holder: u32) -> Bytes {
    let below = tree::find_descendants(holder);
    let pages: u64 = below.iter().filter_map(|process| proc_files::resident_pages(process.pid)).sum();
    Bytes(pages * page_size() as u64)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jiff::Timestamp;

    use super::*;
    use crate::model::ids::{AttemptNumber, ShardId};
    use crate::process::identity;
    use crate::scheduler::machine::{MachineState, Ram};

    #[test]
    fn free_memory_is_read_after_what_other_runs_use_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let other = ClaimsFolder::open(folder.path(), "other").unwrap();
        let key = AttemptKey { shard: ShardId::new("a").unwrap(), attempt: AttemptNumber::FIRST };
        let claim = Claim { ram: Some(Bytes(1)), ..Claim::default() };
        let me = identity::identify_self().unwrap();
        let attempts = vec![AttemptClaim { key, holder: Some(me.clone()), gpus: Vec::new(), claim }];
        let run = RunId("other".to_owned());
        let state_folder = Some(PathBuf::from("/elsewhere"));
        let claims = RunClaims { version: CLAIMS_VERSION, run, state_folder, owners: vec![me], attempts };
        other.publish(&claims).unwrap();
        // A look of which everything was taken since.
        let stale = Ram { total: Bytes(u64::MAX), free: Bytes(u64::MAX) };
        let (at, cards, attempts) = (Timestamp::UNIX_EPOCH, Vec::new(), BTreeMap::new());
        let machine =
            MachineState { at, cards, cores: None, ram: Some(stale), attempts, visitors: Vec::new() };
        let mut reservations = Reservations {
            folder: Some(ClaimsFolder::open(folder.path(), "own").unwrap()),
            run: RunId("own".to_owned()),
            state_folder: Some(PathBuf::from("/here")),
            owners: Vec::new(),
            names: HashMap::new(),
            weighs_ram: true,
            holders: HashMap::new(),
            published: Vec::new(),
            others: Vec::new(),
            look: Some(MachineSurvey { machine, others: Vec::new() }),
            is_told: false,
            neighbours: NeighbourClaims::default(),
        };
        let (_lock, inputs) = reservations.collect_inputs(true);
        let [SchedulerInput::Others(others), SchedulerInput::Machine(machine)] = &inputs[..] else {
            panic!("{inputs:?}")
        };
        assert_eq!(others.len(), 1);
        assert_eq!(others[0].holder, "the run other of another state folder (/elsewhere)");
        assert_ne!(machine.ram, Some(stale));
    }
}
