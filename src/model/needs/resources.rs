//! What one shard needs of the machine, as the sweep declares it.

use std::collections::BTreeMap;
use std::ops::{Not, Range};

use serde::{Deserialize, Deserializer, Serialize};

use crate::model::machine::gpu_permit::InheritedGpus;
use crate::model::units::Bytes;

/// Resources of the machine that one shard needs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Resources {
    /// GPUs; by default one where the machine has one.
    pub gpus: Option<GpuNeed>,
    /// VRAM on each of its GPUs.
    pub vram: Option<VramNeed>,
    /// Number of cores, which also sets `OMP_NUM_THREADS`.
    pub cpus: Option<u32>,
    /// Main memory that one shard needs.
    pub ram: Option<Bytes>,
    /// The GPUs that the run may use, by number or UUID; all that it may where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// GPU variables that the run's start inherited: no GPU outside of what they allow is ever used.
    #[serde(default, skip_serializing_if = "InheritedGpus::is_empty")]
    pub inherited: InheritedGpus,
    /// No other shard may be on its GPUs.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub exclusive: bool,
    /// Each has cores of its own, as many as `cpus`.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub pin: bool,
    /// Added to the niceness: up to 19, at which it only gets what others leave.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub nice: u32,
}

fn is_zero(nice: &u32) -> bool {
    *nice == 0
}

/// How many GPUs, for the whole shard or for each of its components.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum GpuNeed {
    /// A number of GPUs for the whole process.
    Count(u32),
    /// Each named component has its own.
    Components(BTreeMap<String, ComponentNeed>),
}

/// GPUs and memory that one component of a shard needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComponentNeed {
    /// Number of GPUs of the component.
    pub gpus: u32,
    /// VRAM on each of its GPUs.
    #[serde(default, deserialize_with = "component_vram")]
    pub vram: Option<VramNeed>,
    /// Whether it lies on the same GPUs as the other shared components of the shard.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub shared: bool,
}

/// VRAM as the sweep declares it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VramNeed {
    /// A fixed amount of memory.
    Fixed(Bytes),
    /// Percentage of the memory of the card the shard is placed on.
    Percent(f64),
    /// Measured on the first shard.
    Auto,
}

/// Rule by which a GPU is chosen among those that have room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// The one with the fewest on it.
    #[default]
    Spread,
    /// The fullest one that still has room, so that others stay empty.
    Pack,
}

impl Resources {
    /// The GPUs of a shard on a machine that has `gpus` of them: what each is needed for. The default is one
    /// GPU where there is one.
    pub fn gpu_slots(&self, gpus: usize) -> Vec<Option<VramSlot>> {
        match &self.gpus {
            None => vec![self.vram.map(VramSlot::from_need); gpus.min(1)],
            Some(GpuNeed::Count(count)) => vec![self.vram.map(VramSlot::from_need); *count as usize],
            Some(GpuNeed::Components(components)) => self.component_slots(components),
        }
    }

    fn component_slots(&self, components: &BTreeMap<String, ComponentNeed>) -> Vec<Option<VramSlot>> {
        let mut slots: Vec<Option<VramSlot>> = Vec::new();
        for (range, need) in
            assign_ranges(components).into_iter().map(|(_, range)| range).zip(components.values())
        {
            slots.resize(slots.len().max(range.end), None);
            if let Some(vram) = need.vram.or(self.vram) {
                for slot in &mut slots[range] {
                    *slot = Some(slot.unwrap_or_default().with_need(vram));
                }
            }
        }
        slots
    }

    /// Reports whether the VRAM of some GPU is found out by measuring.
    pub fn measures_vram(&self) -> bool {
        self.gpu_slots(1).iter().flatten().any(|slot| slot.measured)
    }

    /// Reports whether the sweep itself sets that a shard uses a GPU.
    pub fn declares_gpu(&self) -> bool {
        self.vram.is_some() || self.gpus.as_ref().is_some_and(|need| need.gpu_count() > 0)
    }
}

/// The VRAM that is needed on one GPU of a shard: the components on it added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct VramSlot {
    /// So much in any case.
    pub fixed: Bytes,
    /// And so many hundredths of the card.
    pub percent: f64,
    /// And what is found by measuring.
    pub measured: bool,
}

impl VramSlot {
    fn from_need(need: VramNeed) -> Self {
        Self::default().with_need(need)
    }

    fn with_need(self, need: VramNeed) -> Self {
        match need {
            VramNeed::Fixed(bytes) => Self { fixed: Bytes(self.fixed.0.saturating_add(bytes.0)), ..self },
            VramNeed::Percent(percent) => Self { percent: self.percent + percent, ..self },
            VramNeed::Auto => Self { measured: true, ..self },
        }
    }

    /// Returns the declared VRAM on a card of that size; `None` if a share is declared and the size is
    /// unknown.
    pub fn bytes_on_card(self, total: Option<Bytes>) -> Option<Bytes> {
        if self.percent == 0.0 {
            return Some(self.fixed);
        }
        let share = total?.0 as f64 * self.percent / 100.0;
        Some(Bytes(self.fixed.0.saturating_add(share.ceil() as u64)))
    }
}

impl GpuNeed {
    /// How many in all.
    pub fn gpu_count(&self) -> u32 {
        match self {
            Self::Count(count) => *count,
            Self::Components(components) => {
                let end = assign_ranges(components).into_iter().map(|(_, range)| range.end).max();
                u32::try_from(end.unwrap_or(0)).unwrap_or(u32::MAX)
            }
        }
    }

    /// Returns the GPUs of a shard that each component has: positions in their list, in the order of the names.
    pub fn component_ranges(&self) -> Vec<(&str, Range<usize>)> {
        match self {
            Self::Count(_) => Vec::new(),
            Self::Components(components) => assign_ranges(components),
        }
    }
}

/// Components with GPUs of their own follow one another; the shared ones lie together where the first of them comes.
fn assign_ranges(components: &BTreeMap<String, ComponentNeed>) -> Vec<(&str, Range<usize>)> {
    let shared = components.values().filter(|need| need.shared).map(|need| need.gpus).max().unwrap_or(0);
    let mut next = 0_usize;
    let mut common = None;
    let mut parts = Vec::new();
    for (name, need) in components {
        let start = if need.shared {
            *common.get_or_insert_with(|| take_range(&mut next, shared))
        } else {
            take_range(&mut next, need.gpus)
        };
        parts.push((name.as_str(), start..start.saturating_add(need.gpus as usize)));
    }
    parts
}

/// The start of a range of that length; the next range starts after it.
fn take_range(next: &mut usize, length: u32) -> usize {
    let start = *next;
    *next = next.saturating_add(length as usize);
    start
}

/// Plans of earlier versions have a plain number of bytes here.
fn component_vram<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<VramNeed>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum RawVramNeed {
        Bytes(Bytes),
        Need(VramNeed),
    }
    Ok(Option::<RawVramNeed>::deserialize(deserializer)?.map(|written| match written {
        RawVramNeed::Bytes(bytes) => VramNeed::Fixed(bytes),
        RawVramNeed::Need(need) => need,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component(gpus: u32, gib: u64, shared: bool) -> ComponentNeed {
        ComponentNeed { gpus, vram: Some(VramNeed::Fixed(Bytes(gib << 30))), shared }
    }

    fn components(all: [(&str, ComponentNeed); 2]) -> Resources {
        let all = all.into_iter().map(|(name, need)| (name.to_owned(), need)).collect();
        Resources { gpus: Some(GpuNeed::Components(all)), ..Resources::default() }
    }

    fn gibs(resources: &Resources) -> Vec<u64> {
        resources.gpu_slots(8).iter().map(|slot| slot.unwrap().fixed.0 >> 30).collect()
    }

    #[test]
    fn components_have_gpus_of_their_own_unless_they_share() {
        let own = components([("env", component(2, 6, false)), ("rollout", component(2, 16, false))]);
        assert_eq!(gibs(&own), [6, 6, 16, 16]);
        let need = own.gpus.unwrap();
        assert_eq!((need.gpu_count(), need.component_ranges()), (4, vec![("env", 0..2), ("rollout", 2..4)]));

        let shared = components([("env", component(2, 6, true)), ("rollout", component(1, 16, true))]);
        assert_eq!(gibs(&shared), [22, 6]);
        let need = shared.gpus.unwrap();
        assert_eq!((need.gpu_count(), need.component_ranges()), (2, vec![("env", 0..2), ("rollout", 0..1)]));
    }

    #[test]
    fn a_share_needs_a_card_of_known_size() {
        let quarter = VramSlot::from_need(VramNeed::Percent(25.0));
        assert_eq!(quarter.bytes_on_card(Some(Bytes(80 << 30))), Some(Bytes(20 << 30)));
        assert_eq!(quarter.bytes_on_card(None), None);
        assert_eq!(VramSlot::from_need(VramNeed::Fixed(Bytes(5))).bytes_on_card(None), Some(Bytes(5)));
    }

    #[test]
    fn components_of_earlier_plans_are_read() {
        let need: ComponentNeed = serde_json::from_str(r#"{"gpus":1,"vram":7}"#).unwrap();
        assert_eq!(need, ComponentNeed { gpus: 1, vram: Some(VramNeed::Fixed(Bytes(7))), shared: false });
        let text = serde_json::to_string(&component(1, 1, false)).unwrap();
        assert_eq!(serde_json::from_str::<ComponentNeed>(&text).unwrap(), component(1, 1, false));
    }
}
