//! What each shard of a plan needs: the resources of the sweep with the shard's own values in place.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use super::plan::{Plan, ShardSpec};
use crate::model::needs::own_needs::OwnNeeds;
use crate::model::needs::resources::{GpuNeed, Resources, VramNeed};

impl Plan {
    /// Returns the resources of the machine that the shard needs.
    pub fn resources_of(&self, shard: &ShardSpec) -> Cow<'_, Resources> {
        shard.needs_in_force().in_place(&self.resources)
    }

    /// Returns the unpaused time after which an attempt of the shard is stopped.
    pub fn timeout_of(&self, shard: &ShardSpec) -> Option<Duration> {
        shard.needs_in_force().timeout.or(self.schedule.timeout)
    }

    /// The different needs of the shards, in the order in which they first come, and which of them each shard has.
    pub fn distinct_needs(&self) -> (Vec<&OwnNeeds>, Vec<usize>) {
        let mut known = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut place_of = |shard: &ShardSpec| {
            // The usual case, and far quicker.
            let needs = shard.needs_in_force();
            let text = if needs.is_empty() { String::new() } else { format!("{needs:?}") };
            let next = places.len();
            *places.entry(text).or_insert(next)
        };
        let mut kind_of = Vec::with_capacity(self.shards.len());
        for shard in &self.shards {
            let place = place_of(shard);
            if place == known.len() {
                known.push(shard.needs_in_force());
            }
            kind_of.push(place);
        }
        (known, kind_of)
    }

    /// The resources of each of the different needs; those of the sweep where it has no shard.
    pub fn all_resources(&self) -> Vec<Cow<'_, Resources>> {
        if self.shards.is_empty() {
            return vec![Cow::Borrowed(&self.resources)];
        }
        let (needs, _) = self.distinct_needs();
        needs.into_iter().map(|needs| needs.in_place(&self.resources)).collect()
    }

    /// The least that any shard needs of each resource; nothing where a shard sets none.
    pub fn least_needs(&self) -> Cow<'_, Resources> {
        let mut all = self.all_resources().into_iter();
        let first = all.next().unwrap_or(Cow::Borrowed(&self.resources));
        all.fold(first, |least, other| {
            let count = |resources: &Resources| resources.gpus.as_ref().map_or(1, GpuNeed::gpu_count);
            let gpus = if count(&other) < count(&least) { &other.gpus } else { &least.gpus };
            let vram = match (least.vram, other.vram) {
                (Some(VramNeed::Fixed(a)), Some(VramNeed::Fixed(b))) => Some(VramNeed::Fixed(a.min(b))),
                (a, b) => a.filter(|_| a == b),
            };
            Cow::Owned(Resources {
                gpus: gpus.clone(),
                vram,
                ram: least.ram.zip(other.ram).map(|(a, b)| a.min(b)),
                cpus: least.cpus.zip(other.cpus).map(|(a, b)| a.min(b)),
                exclusive: least.exclusive && other.exclusive,
                ..least.into_owned()
            })
        })
    }

    /// The VRAM of some shard is found out by measuring.
    pub fn measures_vram(&self) -> bool {
        self.all_resources().iter().any(|resources| resources.measures_vram())
    }

    /// No shard uses a GPU, by the word of the sweep.
    pub fn needs_no_gpu(&self) -> bool {
        self.all_resources()
            .iter()
            .all(|resources| resources.gpus.as_ref().is_some_and(|need| need.gpu_count() == 0))
    }
}
