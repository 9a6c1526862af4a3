//! What follows from a reading of the machine: what was learned of the memory that attempts take.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::model::ids::{AttemptKey, GpuIndex};
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::learning::footprint::living_key;
use crate::scheduler::learning::knowledge::Knowledge;
use crate::scheduler::machine::MachineState;

/// Takes a reading in.
pub fn record_reading(builder: &DecisionBuilder, known: &mut Knowledge, machine: &MachineState) {
    note_idle_use(builder, known, machine);
    if builder.policy.follows_attempts() {
        measure_attempts(builder, known, machine);
    }
    known.visitors.record_reading(machine, builder.now);
    known.machine = Some(machine.clone());
    known.heard = Some(builder.now);
}

/// Notes what is in use on a card without attempts: it is not theirs, also later, when no driver reports whose it is.
fn note_idle_use(builder: &DecisionBuilder, known: &mut Knowledge, machine: &MachineState) {
    for card in &machine.cards {
        let (Some(used), Some(at)) = (card.used, card.at) else { continue };
        if count_tenants(builder, known, card.gpu) == 0 && !has_left(builder, card.gpu, at) {
            known.idle_use.insert(card.gpu, used);
        }
    }
}

fn measure_attempts(builder: &DecisionBuilder, known: &mut Knowledge, machine: &MachineState) {
    let present: BTreeMap<AttemptKey, &[GpuIndex]> =
        builder.active_shards().filter_map(|shard| Some((living_key(shard)?, shard.phase.gpus()))).collect();
    known.footprints.retain_attempts(|key| present.contains_key(key));
    let shared = shared_gpus(builder, known);
    for (key, gpus) in present {
        let is_alone = !gpus.iter().any(|gpu| shared.contains(gpu));
        known.footprints.add_sample(&key, gpus, machine, &known.idle_use, is_alone);
        if let (true, Some(position)) =
            (known.footprints.is_settled(&key, builder.now), builder.position(&key.shard))
            && builder.shard(position).edit.is_empty()
        {
            let peaks = known.footprints.living_peaks(&key).unwrap_or_default().to_vec();
            known.footprints.learn_peaks(builder.policy.combos[position], &peaks);
        }
    }
}

/// An attempt has left the GPU so late that its memory may be in a reading of that moment.
fn has_left(builder: &DecisionBuilder, gpu: GpuIndex, read: Timestamp) -> bool {
    let of_service = builder.services().iter().any(|service| {
        let ended = service.life.phase.ended().or(service.life.history.last());
        ended.is_some_and(|ended| ended.gpus.contains(&gpu) && ended.at >= read)
    });
    of_service || builder.tally().newest_end_on(gpu).is_some_and(|end| end >= read)
}

/// GPUs with several attempts on them.
fn shared_gpus(builder: &DecisionBuilder, known: &Knowledge) -> BTreeSet<GpuIndex> {
    builder.policy.gpus.iter().copied().filter(|gpu| count_tenants(builder, known, *gpu) > 1).collect()
}

/// Attempts on a GPU, of this run and of others.
fn count_tenants(builder: &DecisionBuilder, known: &Knowledge, gpu: GpuIndex) -> usize {
    let others = known.others.iter().flat_map(|other| &other.gpus);
    let services = builder.services().iter().filter(|service| service.is_active());
    let services = services.filter(|service| service.life.phase.gpus().contains(&gpu)).count();
    services
        + builder.active_shards().filter(|shard| shard.phase.gpus().contains(&gpu)).count()
        + others.filter(|other| other.gpu == gpu).count()
}
