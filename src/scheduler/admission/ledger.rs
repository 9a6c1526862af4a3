//! The accounts of the machine: what is free of each GPU, of the cores and of main memory once every promise is kept.
//!
//! A promise counts as far as it is not used yet: what is used is missing from what the driver reports as
//! free. So memory that others take or give back moves the accounts at the next reading, and nothing is
//! counted twice.

use std::borrow::Cow;

use jiff::Timestamp;

use crate::model::claims::claim::{Claim, Tenancy};
use crate::model::ids::{AttemptKey, GpuIndex, ShardId};
use crate::model::machine::gpu_permit::NOT_CHOSEN;
use crate::model::needs::resources::VramSlot;
use crate::model::shortage::Stranger;
use crate::model::state::shard_state::ShardState;
use crate::model::units::Bytes;
use crate::scheduler::admission::grant::Grant;
use crate::scheduler::admission::pinning::Pinning;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::elsewhere::Elsewhere;
use crate::scheduler::learning::footprint::living_key;
use crate::scheduler::learning::knowledge::Knowledge;
use crate::scheduler::machine::{GpuState, MachineState, OtherClaim, OtherGpu};
use crate::scheduler::policy::SchedulingPolicy;

/// Memory that a card without tenants may have in use: contexts of the driver and of a display.
const OVERHEAD: Bytes = Bytes(1 << 30);

/// The accounts at one moment of a decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Ledger {
    /// Accounts of the GPUs of the policy.
    pub gpus: Vec<GpuAccount>,
    /// Account of the cores that can be given out.
    pub cores: CoreAccount,
    /// Account of main memory.
    pub ram: RamAccount,
    /// Attempts of this run and of others that were promised anything.
    pub tenants: usize,
    /// Cores that each shard is pinned to, where shards are pinned.
    pub pinning: Option<Pinning>,
    /// Cores that other runs were promised.
    pub cores_elsewhere: Elsewhere,
    /// Main memory that other runs were promised and do not use yet.
    pub ram_elsewhere: Elsewhere,
}

/// Account of one GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuAccount {
    /// Index of the GPU.
    pub gpu: GpuIndex,
    /// Total memory of the GPU, if known.
    pub total: Option<Bytes>,
    /// Memory that is left free in any case.
    pub reserve: Bytes,
    /// Attempts of shards on it.
    pub tenants: usize,
    /// Number of services on it.
    pub services: usize,
    /// Tenancy that the most demanding tenant asks of the others.
    pub tenancy: Tenancy,
    /// Shard whose memory is being measured on it.
    pub measuring: Option<ShardId>,
    /// Reason why it gets no shards, if there is one.
    pub shut: Option<String>,
    /// Promises of other runs on it that they do not use yet.
    pub elsewhere: Elsewhere,
    /// The largest process on it that no run of this user has started.
    pub stranger: Option<Stranger>,
    /// Memory that such processes hold together, where the driver reports it.
    pub by_strangers: Option<Bytes>,
    /// Memory in use, by any process.
    used: Option<u64>,
    /// Memory that its tenants use, as far as the driver reports it.
    told: u64,
    /// Memory that they were promised and do not use yet.
    due: u64,
    /// Memory promised to tenants whose use the driver does not report.
    untold: u64,
    /// The larger of promise and use, added up over its tenants.
    held: u64,
    /// Memory in use when no attempt was on it, or what strangers hold by the lists now, where that is more.
    idle_use: Option<u64>,
}

/// The cores of the machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CoreAccount {
    /// All that may be used.
    pub cores: Option<u32>,
    /// Number of cores that are promised.
    pub promised: u32,
}

/// Account of main memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RamAccount {
    /// Total main memory, if known.
    pub total: Option<Bytes>,
    /// Memory that could be given out now.
    pub free: Option<Bytes>,
    /// Free memory that is promised and not used yet.
    pub due: Bytes,
    /// The larger of promise and use, added up over the attempts.
    pub held: Bytes,
}

impl Ledger {
    /// The accounts before anything is started in this decision.
    pub fn for_decision(builder: &DecisionBuilder, known: &Knowledge) -> Self {
        let machine = known.machine.as_ref();
        let (reserve, chosen) = (builder.reserve_vram(), builder.chosen_gpus());
        let yield_for = builder.policy.schedule.neighbours.yield_for;
        let account = |gpu: &GpuIndex| {
            let card = machine.and_then(|machine| machine.card(*gpu));
            let mut account = GpuAccount::new(*gpu, card, reserve, known.idle_use.get(gpu).copied());
            account.shut = account.shut.or_else(|| builder.run_holds().avoid_reason(*gpu).map(str::to_owned));
            let newcomer =
                yield_for.and_then(|within| known.visitors.yield_reason(*gpu, within, builder.now));
            account.shut = account.shut.or_else(|| newcomer.map(|(reason, _)| reason));
            if !chosen.contains(gpu) {
                account.shut = Some(NOT_CHOSEN.to_owned());
            }
            account
        };
        let ram = machine.and_then(|machine| machine.ram);
        let mut ledger = Self {
            gpus: builder.policy.gpus.iter().map(account).collect(),
            cores: CoreAccount { cores: machine.and_then(|machine| machine.cores), promised: 0 },
            ram: RamAccount {
                total: ram.map(|ram| ram.total),
                free: ram.map(|ram| ram.free),
                ..RamAccount::default()
            },
            tenants: 0,
            pinning: builder.policy.topology.as_ref().map(Pinning::new),
            cores_elsewhere: Elsewhere::default(),
            ram_elsewhere: Elsewhere::default(),
        };
        for shard in builder.active_shards() {
            let Some(position) = builder.position(&shard.id) else { continue };
            let Some((key, claim)) = claim_now(builder.policy, known, builder.now, position, shard) else {
                continue;
            };
            ledger.enter_attempt(&key, shard.phase.gpus(), &claim, machine);
        }
        for service in builder.services() {
            let Some((key, claim)) = living_key(&service.life).zip(service.life.phase.claim()) else {
                continue;
            };
            ledger.enter_service(&key, service.life.phase.gpus(), claim, machine);
        }
        known.others.iter().for_each(|other| ledger.enter_other(other));
        ledger
    }

    fn enter_attempt(
        &mut self,
        key: &AttemptKey,
        gpus: &[GpuIndex],
        claim: &Claim,
        machine: Option<&MachineState>,
    ) {
        for (slot, gpu) in gpus.iter().enumerate() {
            let promised = claim.vram.get(slot).copied().flatten();
            let used = vram_used(key, *gpu, machine);
            self.on_gpu(*gpu, |account| {
                account.enter_tenant(promised, used, claim.tenancy);
                if claim.tenancy == Tenancy::Measuring {
                    account.measuring = Some(key.shard.clone());
                }
            });
        }
        let rss = machine.and_then(|machine| machine.attempts.get(key)?.rss);
        self.enter_host(claim.cpus, claim.ram, rss);
        self.pin_cores(&claim.cores);
    }

    /// Enters a service: services hold memory alongside shards, and are no tenants that one could have to be alone of.
    fn enter_service(
        &mut self,
        key: &AttemptKey,
        gpus: &[GpuIndex],
        claim: &Claim,
        machine: Option<&MachineState>,
    ) {
        for (slot, gpu) in gpus.iter().enumerate() {
            let promised = claim.vram.get(slot).copied().flatten();
            let used = vram_used(key, *gpu, machine);
            self.on_gpu(*gpu, |account| {
                account.add_claim(promised, used);
                account.services += 1;
            });
        }
        let rss = machine.and_then(|machine| machine.attempts.get(key)?.rss);
        self.enter_host(claim.cpus, claim.ram, rss);
    }

    /// Takes a promise to a service that is made in this decision.
    pub fn promise_service(&mut self, key: &AttemptKey, grant: &Grant) {
        self.enter_service(key, &grant.gpus, &grant.claim, None);
    }

    /// The same accounts with these GPUs alone.
    pub fn of_gpus(&self, gpus: &[GpuIndex]) -> Self {
        let is_meant = |account: &&GpuAccount| gpus.contains(&account.gpu);
        Self { gpus: self.gpus.iter().filter(is_meant).cloned().collect(), ..self.clone() }
    }

    fn enter_other(&mut self, other: &OtherClaim) {
        for OtherGpu { gpu, claim, used } in &other.gpus {
            let due = claim.unwrap_or_default().0.saturating_sub(used.unwrap_or_default().0);
            self.on_gpu(*gpu, |account| {
                account.enter_tenant(*claim, *used, other.tenancy);
                account.elsewhere.add_promise(&other.holder, due);
            });
        }
        self.cores_elsewhere.add_promise(&other.holder, u64::from(other.cpus.unwrap_or(0)));
        let due = other.ram.unwrap_or_default().0.saturating_sub(other.rss.unwrap_or_default().0);
        self.ram_elsewhere.add_promise(&other.holder, due);
        self.enter_host(other.cpus, other.ram, other.rss);
        self.pin_cores(&other.cores);
    }

    /// Takes a promise that is made in this decision.
    pub fn enter_grant(&mut self, key: &AttemptKey, grant: &Grant) {
        self.enter_attempt(key, &grant.gpus, &grant.claim, None);
    }

    fn on_gpu(&mut self, gpu: GpuIndex, change: impl FnOnce(&mut GpuAccount)) {
        if let Some(account) = self.gpus.iter_mut().find(|account| account.gpu == gpu) {
            change(account);
        }
    }

    fn pin_cores(&mut self, cores: &[u32]) {
        if let Some(pinning) = &mut self.pinning {
            pinning.take_cores(cores);
        }
    }

    fn enter_host(&mut self, cpus: Option<u32>, ram: Option<Bytes>, rss: Option<Bytes>) {
        self.tenants += 1;
        self.cores.promised = self.cores.promised.saturating_add(cpus.unwrap_or(0));
        let (promised, used) = (ram.unwrap_or_default().0, rss.unwrap_or_default().0);
        self.ram.due.0 = self.ram.due.0.saturating_add(promised.saturating_sub(used));
        self.ram.held.0 = self.ram.held.0.saturating_add(promised.max(used));
    }
}

/// Returns what the attempt of a shard holds: where its memory was to be measured and is known by now, no more than
/// that.
pub fn claim_now<'c>(
    policy: &SchedulingPolicy,
    known: &Knowledge,
    now: Timestamp,
    position: usize,
    shard: &'c ShardState,
) -> Option<(AttemptKey, Cow<'c, Claim>)> {
    let (key, claim) = (living_key(shard)?, shard.phase.claim()?);
    if claim.tenancy != Tenancy::Measuring || !known.footprints.is_settled(&key, now) {
        return Some((key, Cow::Borrowed(claim)));
    }
    let peaks = if shard.edit.is_empty() {
        known.footprints.of_combo(policy.combos[position])
    } else {
        known.footprints.living_peaks(&key)
    };
    let vram = peaks.unwrap_or_default().iter().copied().map(Some).collect();
    Some((key, Cow::Owned(Claim { tenancy: policy.kind(position).tenancy, vram, ..claim.clone() })))
}

impl GpuAccount {
    fn new(gpu: GpuIndex, card: Option<&GpuState>, reserve: Bytes, idle_use: Option<Bytes>) -> Self {
        Self {
            gpu,
            total: card.and_then(|card| card.total),
            reserve,
            tenants: 0,
            services: 0,
            tenancy: Tenancy::Shared,
            measuring: None,
            shut: card.and_then(|card| card.fault.clone()),
            elsewhere: Elsewhere::default(),
            stranger: card.and_then(|card| card.stranger.clone()),
            by_strangers: card.and_then(|card| card.strangers),
            used: card.and_then(|card| card.used).map(|used| used.0),
            told: 0,
            due: 0,
            untold: 0,
            held: 0,
            idle_use: idle_use.map(|used| used.max(card.map_or(Bytes(0), |card| card.listed_strangers)).0),
        }
    }

    fn enter_tenant(&mut self, claim: Option<Bytes>, used: Option<Bytes>, tenancy: Tenancy) {
        self.tenants += 1;
        self.tenancy = self.tenancy.max(tenancy);
        self.add_claim(claim, used);
    }

    fn add_claim(&mut self, claim: Option<Bytes>, used: Option<Bytes>) {
        let claim = claim.unwrap_or_default().0;
        match used {
            Some(Bytes(used)) => {
                self.told = self.told.saturating_add(used);
                self.due = self.due.saturating_add(claim.saturating_sub(used));
                self.held = self.held.saturating_add(claim.max(used));
            }
            None => {
                self.untold = self.untold.saturating_add(claim);
                self.held = self.held.saturating_add(claim);
            }
        }
    }

    /// Estimates what tenants use where the driver does not report it: what the card has in use beyond what it had in
    /// use when it was idle. Without that figure nothing of it counts as used, which is too careful and never too bold.
    fn estimated_use(&self) -> u64 {
        let (Some(used), Some(idle_use)) = (self.used, self.idle_use) else { return 0 };
        used.saturating_sub(idle_use).saturating_sub(self.told).min(self.untold)
    }

    /// Free by the driver's word.
    pub fn free_vram(&self) -> Option<Bytes> {
        Some(Bytes(self.total?.0.saturating_sub(self.used?)))
    }

    /// Promised, and not used yet.
    pub fn unused_promises(&self) -> Bytes {
        Bytes(self.due.saturating_add(self.untold - self.estimated_use()))
    }

    /// Returns what can be given to one more attempt. Where the driver does not report what is in use, only promises
    /// count.
    pub fn available_vram(&self) -> Option<Bytes> {
        let free = match self.free_vram() {
            Some(free) => free.0.saturating_sub(self.unused_promises().0),
            None => self.total?.0.saturating_sub(self.held),
        };
        Some(Bytes(free.saturating_sub(self.reserve.0)))
    }

    /// The most it can ever give. A little is in use for the driver's own needs, also while it is idle.
    pub fn vram_ceiling(&self) -> Option<Bytes> {
        let overhead = self.foreign_vram().unwrap_or_default().min(OVERHEAD).0;
        Some(Bytes(self.total?.0.saturating_sub(self.reserve.0).saturating_sub(overhead)))
    }

    /// Returns what the slot needs on this card. A share of it never asks for more than it can give.
    pub fn needed_vram(&self, slot: Option<VramSlot>) -> Option<Bytes> {
        let slot = slot?;
        let wanted = slot.bytes_on_card(self.total)?;
        let most =
            self.vram_ceiling().filter(|_| slot.percent > 0.0).map_or(wanted, |most| most.max(slot.fixed));
        Some(wanted.min(most))
    }

    /// Returns what there would be for this program if all its attempts had ended.
    pub fn own_capacity(&self) -> Option<Bytes> {
        let strangers = self.foreign_vram().unwrap_or_default().0;
        Some(Bytes(self.total?.0.saturating_sub(strangers).saturating_sub(self.reserve.0)))
    }

    /// Returns what processes other than attempts of this user hold.
    pub fn foreign_vram(&self) -> Option<Bytes> {
        Some(Bytes(self.used?.saturating_sub(self.told).saturating_sub(self.estimated_use())))
    }

    /// Returns what would be left of its capacity if every promise were used to the full.
    pub fn unpromised_vram(&self) -> Option<Bytes> {
        Some(Bytes(self.own_capacity()?.0.saturating_sub(self.held)))
    }
}

/// Returns what an attempt uses of a GPU, where that is known.
fn vram_used(key: &AttemptKey, gpu: GpuIndex, machine: Option<&MachineState>) -> Option<Bytes> {
    match machine {
        Some(machine) if machine.attempts.contains_key(key) => machine.vram_of(key, gpu),
        // Younger than the reading: nothing of it can be in use there.
        Some(_) | None => Some(Bytes(0)),
    }
}
