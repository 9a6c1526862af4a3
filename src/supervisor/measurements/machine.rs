//! The machine as the scheduler sees it: readings of GPUs, host and processes, with the strangers among them named.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;
use rustix::process::geteuid;

use crate::model::ids::{AttemptKey, GpuIndex};
use crate::model::machine::gpu_health::GpuHealth;
use crate::model::machine::sample::{GpuProcess, GpuSample, HostSample, ShardSample};
use crate::model::shortage::Stranger;
use crate::model::units::Bytes;
use crate::process::{stat, user};
use crate::scheduler::machine::{AttemptUse, GpuState, MachineState, Ram, Visitor};
use crate::telemetry::gpu_source::GpuReadings;
use crate::telemetry::shards::OnGpus;

/// More generations than that have no processes of evaluations.
const GENERATIONS: usize = 64;

/// Memory in use that no listed process has: contexts of the driver. More than that belongs to processes that the
/// driver does not list here, as in a container.
const UNLISTED: u64 = 1 << 30;

/// A look at the machine.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::supervisor) struct MachineSurvey {
    /// The machine's condition, without processes of strangers.
    pub(in crate::supervisor) machine: MachineState,
    /// Processes on the GPUs that are not of this run.
    pub(in crate::supervisor) others: Vec<OtherProcess>,
}

/// A process on a GPU that is not of this run.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::supervisor) struct OtherProcess {
    pub(in crate::supervisor) gpu: GpuIndex,
    pub(in crate::supervisor) pid: u32,
    pub(in crate::supervisor) vram: Option<Bytes>,
    /// Id of the user it belongs to; `None` if it does not live here.
    pub(in crate::supervisor) owner: Option<u32>,
    /// Its parent, the parent of that, and so on: one of them may be a holder of another run.
    pub(in crate::supervisor) ancestors: Vec<u32>,
}

/// Puts the readings of one moment together. What processes use must have been read before the whole that it is a part
/// of, of each GPU and of the host: what one takes in between is then counted twice and not lost.
pub(in crate::supervisor) fn combine_readings(
    readings: &GpuReadings,
    host: &HostSample,
    shards: &[ShardSample],
    on_gpus: &OnGpus,
) -> MachineSurvey {
    let attempt = |sample: &ShardSample| {
        let key = AttemptKey { shard: sample.shard.clone(), attempt: sample.attempt };
        let vram =
            on_gpus.attempts.get(&key).map(|vram| vram.iter().map(|(gpu, vram)| (*gpu, *vram)).collect());
        (key, AttemptUse { vram: vram.unwrap_or_default(), rss: sample.rss_bytes })
    };
    let others: Vec<OtherProcess> = on_gpus.others.iter().map(other_process).collect();
    MachineSurvey {
        machine: MachineState {
            at: host.timestamp,
            cards: readings.health.iter().map(|health| build_card(health, readings)).collect(),
            cores: Some(host.cores),
            ram: host_ram(host),
            attempts: shards.iter().map(attempt).collect::<BTreeMap<_, _>>(),
            visitors: others.iter().filter_map(|other| to_visitor(other, host.timestamp)).collect(),
        },
        others,
    }
}

/// Main memory and what is free of it.
pub(in crate::supervisor) fn host_ram(host: &HostSample) -> Option<Ram> {
    let (total, used) = host.ram_total_bytes.zip(host.ram_used_bytes)?;
    Some(Ram { total, free: Bytes(total.0.saturating_sub(used.0)) })
}

fn build_card(health: &GpuHealth, readings: &GpuReadings) -> GpuState {
    let gpu = health.gpu;
    // One that has not answered yet has no sample.
    let sample = readings.samples.iter().find(|sample| sample.gpu == gpu);
    let listed = readings.processes.iter().filter(|process| process.gpu == gpu);
    let listed: u64 = listed.filter_map(|process| process.vram).map(|vram| vram.0).sum();
    // The lists are read before the memory: what was given back in between is still promised to its shard, so that the
    // larger of both is what must not be given away.
    let used = sample.and_then(|sample| sample.vram_used_bytes).map(|used| used.max(Bytes(listed)));
    GpuState {
        gpu,
        at: sample.map(|sample| sample.timestamp),
        total: sample.and_then(|sample| sample.vram_total_bytes),
        used,
        tells_processes: tells_processes(gpu, used, &readings.processes),
        stranger: None,
        strangers: None,
        listed_strangers: Bytes(0),
        fault: health.blocking_fault().map(|fault| fault.kind.to_text()),
        is_lost: health.faults.iter().any(|fault| fault.kind.is_loss()),
    }
}

/// The GPUs whose driver lists all processes.
pub(in crate::supervisor) fn fully_listed_gpus(readings: &GpuReadings) -> HashSet<GpuIndex> {
    let tells = |sample: &&GpuSample| {
        // A driver without lists reports nothing, also where nothing is in use.
        sample.outside_processes.is_some()
            && tells_processes(sample.gpu, sample.vram_used_bytes, &readings.processes)
    };
    readings.samples.iter().filter(tells).map(|sample| sample.gpu).collect()
}

/// Every process has a figure, and together they explain what is in use.
fn tells_processes(gpu: GpuIndex, used: Option<Bytes>, processes: &[GpuProcess]) -> bool {
    let listed = processes.iter().filter(|process| process.gpu == gpu).map(|process| process.vram);
    let listed: Option<u64> = listed.map(|vram| vram.map(|vram| vram.0)).sum();
    listed.zip(used).is_some_and(|(listed, used)| used.0.saturating_sub(listed) <= UNLISTED)
}

fn other_process(process: &GpuProcess) -> OtherProcess {
    let mut ancestors = Vec::new();
    let mut next = stat::read_stat(process.pid).map(|stat| stat.parent);
    while let Some(parent) = next.filter(|parent| *parent > 0 && ancestors.len() < GENERATIONS) {
        ancestors.push(parent);
        next = stat::read_stat(parent).map(|stat| stat.parent);
    }
    let owner = user::owner_of(process.pid);
    OtherProcess { gpu: process.gpu, pid: process.pid, vram: process.vram, owner, ancestors }
}

/// Returns the process if it is another user's. One whose owner cannot be seen, as outside of a container, has no user.
fn to_visitor(other: &OtherProcess, now: Timestamp) -> Option<Visitor> {
    let owner = other.owner.filter(|owner| *owner != geteuid().as_raw())?;
    let stat = stat::read_stat(other.pid)?;
    let started = stat.age().and_then(|age| now.checked_sub(age).ok())?;
    Some(Visitor {
        gpu: other.gpu,
        pid: other.pid,
        start_ticks: stat.start_ticks,
        started,
        user: user::name_of(owner),
        name: Some(stat.name),
    })
}

impl MachineSurvey {
    /// The machine, with the largest process on each GPU that is not below one of `holders`.
    pub(in crate::supervisor) fn with_strangers(&self, holders: &HashSet<u32>) -> MachineState {
        let mut machine = self.machine.clone();
        for card in &mut machine.cards {
            let strangers =
                self.others.iter().filter(|other| other.gpu == card.gpu && !other.is_below(holders));
            card.strangers = strangers_hold(strangers.clone()).filter(|_| card.tells_processes);
            card.listed_strangers =
                Bytes(strangers.clone().filter_map(|other| other.vram).map(|vram| vram.0).sum());
            let largest = strangers.filter_map(|other| Some((other.vram?, other.pid))).max();
            card.stranger = largest.map(|(vram, pid)| Stranger {
                pid,
                name: stat::read_stat(pid).map(|stat| stat.name),
                vram,
            });
        }
        machine
    }

    /// A process on a GPU has that number, and is neither of this run nor below one of `holders`.
    pub(in crate::supervisor) fn has_stranger(&self, pid: u32, holders: &HashSet<u32>) -> bool {
        self.others.iter().any(|other| other.pid == pid && !other.is_below(holders))
    }

    /// Returns how much memory the processes of a user hold on a GPU, as far as the driver reports it.
    pub(in crate::supervisor) fn used_by(&self, owner: u32, gpu: GpuIndex) -> Bytes {
        let of_user = self.others.iter().filter(|other| other.gpu == gpu && other.owner == Some(owner));
        Bytes(of_user.filter_map(|other| other.vram).map(|vram| vram.0).sum())
    }

    /// Returns how much memory the processes below a holder of another run use on a GPU; `None` if the driver
    /// does not report it.
    pub(in crate::supervisor) fn used_below(&self, holder: u32, gpu: GpuIndex) -> Option<Bytes> {
        let card = self.machine.card(gpu)?;
        let below =
            self.others.iter().filter(|other| other.gpu == gpu && other.is_below(&HashSet::from([holder])));
        let sum = below.map(|other| other.vram.map(|vram| vram.0)).sum::<Option<u64>>().map(Bytes);
        sum.filter(|sum| *sum > Bytes(0) || card.tells_processes)
    }
}

/// Adds up what they hold together. The driver may list one of this run for a moment after its end; it does not count.
fn strangers_hold<'o>(strangers: impl Iterator<Item = &'o OtherProcess>) -> Option<Bytes> {
    let living = strangers.filter(|other| stat::read_stat(other.pid).is_some());
    living.map(|other| other.vram.map(|vram| vram.0)).sum::<Option<u64>>().map(Bytes)
}

impl OtherProcess {
    fn is_below(&self, holders: &HashSet<u32>) -> bool {
        holders.contains(&self.pid) || self.ancestors.iter().any(|ancestor| holders.contains(ancestor))
    }
}

#[cfg(test)]
mod tests;
