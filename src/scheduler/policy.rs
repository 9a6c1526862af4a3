//! What never changes while a run lasts: the schedule, the order of the shards and what they need.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use crate::model::history::PackSizes;
use crate::model::ids::{GpuIndex, ShardId};
use crate::model::machine::topology::Topology;
use crate::model::needs::own_needs::OwnNeeds;
use crate::model::state::comparison_blocks::ComparisonBlocks;
use crate::model::state::run_state::RunState;
use crate::model::sweep::node_spec::NodeId;
use crate::model::sweep::plan::{Plan, Schedule, ShardSpec};
use crate::model::sweep::split::PackSplit;
use crate::model::units::Bytes;
use crate::scheduler::admission::kind::DeclaredNeeds;
use crate::scheduler::endings::ladder::Ladder;
use crate::scheduler::learning::pack_size::{self, PackSize};
use crate::scheduler::services::rule::ServiceRule;

/// The rules of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct SchedulingPolicy {
    /// When and how shards start, wait and end.
    pub schedule: Schedule,
    /// Positions of the shards in the plan, first choice first.
    pub order: Vec<usize>,
    /// The GPUs that the run's start permits.
    pub gpus: Vec<GpuIndex>,
    /// Their names, in the same order.
    pub gpu_names: Vec<String>,
    /// GPUs among them that the sweep chooses, by name; all where none is named.
    pub devices: Vec<String>,
    /// Shards are pinned to cores of their own.
    pub pin: bool,
    /// The different needs that the sweep declares; one where all shards have the same.
    pub kinds: Vec<DeclaredNeeds>,
    /// The position in `kinds` of what each shard needs.
    pub kind_of: Vec<usize>,
    /// Processes that the shards share.
    pub services: Vec<ServiceRule>,
    /// The VRAM of some slot is found by measuring.
    pub measures: bool,
    /// The number of each shard's combo: shards of one combo do the same work on other episodes.
    pub combos: Vec<usize>,
    /// The pack of each shard, where it has one.
    pub packs: Vec<Option<PackSize>>,
    /// The group of each family of packs: sizes that fit in one family are tried first in the others of its group.
    pub pack_groups: Vec<usize>,
    /// Sizes of packs that earlier runs learned, by the number of the family.
    pub recalled_sizes: BTreeMap<usize, PackSizes>,
    /// Packs are cut to what fits when they start.
    pub has_auto_packs: bool,
    /// True if what shards need depends on their values, and changes with them.
    pub needs_follow_values: bool,
    /// The cores to pin shards to; `None` if they are not pinned.
    pub topology: Option<Arc<Topology>>,
    /// VRAM of a combo on each GPU as earlier runs measured it, by its number.
    pub recalled: BTreeMap<usize, Vec<Bytes>>,
    /// The work of each shard succeeded in an earlier run.
    pub proven: Vec<bool>,
    /// How long each shard should take, by an earlier run or by the sweep.
    pub expected_times: Vec<Option<Duration>>,
    /// Attempts continue where the one before stopped.
    pub resumes: bool,
    /// Steps that are taken on failures.
    pub ladder: Ladder,
    /// Axes that the sweep has watched for new files.
    pub watched: Vec<String>,
    /// The nodes that take the shards; none where they run on this machine.
    pub nodes: Vec<NodeId>,
    /// Blocks of the comparison, which ends once it is decided.
    pub comparison: Option<ComparisonBlocks>,
}

impl SchedulingPolicy {
    /// The rules of `plan` on a machine with that many GPUs, all of which are permitted.
    pub fn from_plan(plan: &Plan, gpus: u32) -> Self {
        let gpus: Vec<(GpuIndex, String)> = (0..gpus).map(|gpu| (GpuIndex(gpu), gpu.to_string())).collect();
        Self::on_gpus(plan, gpus)
    }

    /// The rules of `plan` where these GPUs are permitted.
    pub fn on_gpus(plan: &Plan, gpus: Vec<(GpuIndex, String)>) -> Self {
        let (kinds, kind_of) = distinct_kinds(plan, gpus.len());
        let services = ServiceRule::of_plan(plan, gpus.len());
        let combos = number_combos(&plan.shards);
        let packs = pack_size::pack_sizes(&plan.shards);
        let slots: Vec<usize> = kind_of.iter().map(|kind| kinds[*kind].slots.len()).collect();
        Self {
            schedule: plan.schedule.clone(),
            order: plan.start_order(),
            gpus: gpus.iter().map(|(gpu, _)| *gpu).collect(),
            gpu_names: gpus.into_iter().map(|(_, name)| name).collect(),
            devices: plan.resources.devices.clone(),
            pin: plan.resources.pin,
            measures: kinds.iter().any(DeclaredNeeds::has_measured_slot),
            recalled: recalled_peaks(plan, &combos, &slots),
            services,
            kinds,
            kind_of,
            combos,
            pack_groups: pack_size::group_families(plan, &packs),
            recalled_sizes: pack_size::recalled_sizes(&plan.shards, &packs),
            has_auto_packs: packs.iter().flatten().any(PackSize::is_auto),
            needs_follow_values: !plan.template.needs.is_empty(),
            packs,
            proven: plan.shards.iter().map(|shard| shard.learned.has_succeeded()).collect(),
            expected_times: plan.shards.iter().map(ShardSpec::expected_duration).collect(),
            watched: watched_axes(plan),
            topology: None,
            nodes: plan.nodes.iter().map(|node| node.id.clone()).collect(),
            resumes: !plan.template.resume.is_never(),
            ladder: Ladder::from_plan(plan),
            comparison: ComparisonBlocks::from_plan(plan),
        }
    }

    /// Reports whether the shards are dealt to nodes.
    pub fn deals(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// The same with shards pinned to these cores.
    pub fn pinned_to(self, topology: Topology) -> Self {
        Self { topology: Some(Arc::new(topology)), ..self }
    }

    /// The rules of the plan after a split, which it knows already. Combos keep their numbers, because what was learned
    /// is known by them.
    pub fn apply_split(&mut self, plan: &Plan, split: &PackSplit) {
        let Some(whole) = plan.shards.iter().position(|shard| shard.id == split.shard) else { return };
        let new = self.packs.len();
        let (Some(half), Some(other)) = (plan.shards.get(whole), plan.shards.get(new)) else { return };
        let others = (0..new).filter(|at| *at != whole);
        let mut numbers: HashMap<String, usize> =
            others.map(|at| (plan.shards[at].combo_key(), self.combos[at])).collect();
        let mut number = |spec: &ShardSpec, combos: &[usize]| {
            let next = combos.iter().max().map_or(0, |most| most + 1);
            *numbers.entry(spec.combo_key()).or_insert(next)
        };
        self.combos[whole] = number(half, &self.combos);
        self.combos.push(number(other, &self.combos));
        let family = self.packs[whole].map_or(0, |pack| pack.family);
        self.packs[whole] = PackSize::for_shard(half, family);
        self.packs.push(PackSize::for_shard(other, family));
        self.services.iter_mut().for_each(|service| service.add_shards(&plan.shards));
        self.kind_of.push(self.kind_of[whole]);
        if self.needs_follow_values {
            self.kind_of[whole] = self.kind_for(plan, half.needs_in_force());
            self.kind_of[new] = self.kind_for(plan, other.needs_in_force());
        }
        self.ladder.add_split(whole);
        self.proven[whole] = half.learned.has_succeeded();
        self.proven.push(other.learned.has_succeeded());
        self.expected_times[whole] = half.expected_duration();
        self.expected_times.push(other.expected_duration());
        self.order = plan.start_order();
        self.comparison = ComparisonBlocks::from_plan(plan);
    }

    /// The rules after edits of these shards, which the plan has already.
    pub fn follow_needs(&mut self, plan: &Plan, shards: &[ShardId]) {
        if !self.needs_follow_values {
            return;
        }
        for (position, spec) in plan.shards.iter().enumerate().filter(|(_, spec)| shards.contains(&spec.id)) {
            let kind = self.kind_for(plan, spec.needs_in_force());
            self.kind_of[position] = kind;
        }
    }

    /// The rules of the plan after values were added, which it knows already. Combos keep their numbers.
    pub fn apply_growth(&mut self, plan: &Plan) {
        self.services.iter_mut().for_each(|service| service.add_shards(&plan.shards));
        let known = self.packs.len();
        let (old, new) = plan.shards.split_at(known.min(plan.shards.len()));
        let mut numbers: HashMap<String, usize> =
            old.iter().zip(&self.combos).map(|(spec, number)| (spec.combo_key(), *number)).collect();
        let family =
            |(spec, pack): (&ShardSpec, &Option<PackSize>)| Some((spec.pack_family()?, (*pack)?.family));
        let mut families: HashMap<String, usize> = old.iter().zip(&self.packs).filter_map(family).collect();
        let mut next = self.combos.iter().max().map_or(0, |most| most + 1);
        for spec in new {
            let number = *numbers.entry(spec.combo_key()).or_insert(next);
            next = next.max(number + 1);
            let unused = families.values().max().map_or(0, |most| most + 1);
            let pack = spec.pack_family().map(|family| *families.entry(family).or_insert(unused));
            let kind = self.kind_for(plan, spec.needs_in_force());
            self.combos.push(number);
            self.packs.push(pack.and_then(|family| PackSize::for_shard(spec, family)));
            self.kind_of.push(kind);
            if let Some((family, sizes)) = pack.zip(spec.learned.pack.as_ref().map(|pack| pack.sizes)) {
                self.recalled_sizes.insert(family, sizes);
            }
            self.proven.push(spec.learned.has_succeeded());
            self.expected_times.push(spec.expected_duration());
        }
        self.pack_groups = pack_size::group_families(plan, &self.packs);
        self.has_auto_packs = self.packs.iter().flatten().any(PackSize::is_auto);
        self.order = plan.start_order();
        self.comparison = ComparisonBlocks::from_plan(plan);
    }

    /// Axes that take up new files by now.
    pub fn open_watches<'p>(&'p self, state: &RunState) -> impl Iterator<Item = &'p str> {
        let axes = self.watched.iter().map(String::as_str);
        axes.filter(|axis| !state.unwatched.iter().any(|ended| ended == axis))
    }

    /// The number of the kind with these needs; one that is not there yet is added.
    fn kind_for(&mut self, plan: &Plan, needs: &OwnNeeds) -> usize {
        let kind = build_kind(plan, needs, self.gpus.len());
        self.measures |= kind.has_measured_slot();
        self.kinds.iter().position(|known| *known == kind).unwrap_or_else(|| {
            self.kinds.push(kind);
            self.kinds.len() - 1
        })
    }

    /// The permitted GPUs that are chosen: by `devices`, or by the sweep.
    pub fn chosen_gpus<'p>(&'p self, devices: Option<&'p [String]>) -> impl Iterator<Item = GpuIndex> + 'p {
        let devices = devices.unwrap_or(&self.devices);
        let is_chosen = move |(gpu, name): &(&GpuIndex, &String)| {
            devices.is_empty() || devices.contains(name) || devices.contains(&gpu.to_string())
        };
        self.gpus.iter().zip(&self.gpu_names).filter(is_chosen).map(|(gpu, _)| *gpu)
    }

    /// The pack of the shard at that position; `None` of a service, too.
    pub fn pack_size(&self, position: usize) -> Option<PackSize> {
        self.packs.get(position).copied().flatten()
    }

    /// Reports whether what attempts take is followed while they run.
    pub fn follows_attempts(&self) -> bool {
        self.measures || self.has_auto_packs
    }

    /// A number that no pack has.
    pub fn next_pack(&self) -> u32 {
        self.packs.iter().flatten().map(|pack| pack.index + 1).max().unwrap_or(0)
    }

    /// Reports whether what is promised to shards depends on the machine.
    pub fn weighs_machine(&self) -> bool {
        self.follows_machine() || self.all_kinds().any(|kind| kind.cpus.is_some())
    }

    /// Reports whether what is promised to shards depends on something that changes while the run lasts.
    pub fn follows_machine(&self) -> bool {
        self.uses_gpus() || self.weighs_ram()
    }

    /// Some shard or service is given GPUs.
    pub fn uses_gpus(&self) -> bool {
        self.all_kinds().any(|kind| !kind.slots.is_empty())
    }

    /// Lists what shards need, and what services need.
    fn all_kinds(&self) -> impl Iterator<Item = &DeclaredNeeds> {
        self.kinds.iter().chain(self.services.iter().map(|service| &service.kind))
    }

    /// The GPUs of the shard that has the most.
    pub fn most_gpus(&self) -> usize {
        self.kinds.iter().map(|kind| kind.slots.len()).max().unwrap_or(0)
    }

    /// Some shard or service is promised main memory.
    pub fn weighs_ram(&self) -> bool {
        self.all_kinds().any(|kind| kind.ram.is_some())
    }

    /// The rule of the named service.
    pub fn service_rule(&self, name: &str) -> Option<&ServiceRule> {
        self.services.iter().find(|rule| rule.name == name)
    }

    /// Returns what the sweep declares for the shard at that position.
    pub fn kind(&self, position: usize) -> &DeclaredNeeds {
        &self.kinds[self.kind_of[position]]
    }
}

/// The different needs of the shards, and which of them each shard has.
fn distinct_kinds(plan: &Plan, gpus: usize) -> (Vec<DeclaredNeeds>, Vec<usize>) {
    let (known, kind_of) = plan.distinct_needs();
    (known.into_iter().map(|needs| build_kind(plan, needs, gpus)).collect(), kind_of)
}

fn build_kind(plan: &Plan, needs: &OwnNeeds, gpus: usize) -> DeclaredNeeds {
    DeclaredNeeds::from_resources(
        &needs.in_place(&plan.resources),
        needs.timeout.or(plan.schedule.timeout),
        gpus,
    )
}

fn watched_axes(plan: &Plan) -> Vec<String> {
    let watches = plan.expansion.iter().flat_map(|expansion| &expansion.watches);
    watches.map(|watch| watch.axis.clone()).collect()
}

/// Peaks that do not fit the slots are of another machine or another sweep.
fn recalled_peaks(plan: &Plan, combos: &[usize], slots: &[usize]) -> BTreeMap<usize, Vec<Bytes>> {
    let peaks = |((spec, combo), slots): ((&ShardSpec, &usize), &usize)| {
        let vram = spec.learned.vram.as_ref().filter(|vram| vram.peaks.len() == *slots)?;
        Some((*combo, vram.peaks.clone()))
    };
    plan.shards.iter().zip(combos).zip(slots).filter_map(peaks).collect()
}

/// Numbers the combos in the order in which they first come.
fn number_combos(shards: &[ShardSpec]) -> Vec<usize> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let number = |shard: &ShardSpec| {
        let next = numbers.len();
        *numbers.entry(shard.combo_key()).or_insert(next)
    };
    shards.iter().map(number).collect()
}
