//! How many shards fit side by side, and what each limit rests on.

use serde::Serialize;

use super::machine::MachineResources;
use crate::model::units::Bytes;

/// Less of a core than this limits nothing.
const IDLE: f64 = 0.05;

/// Resources that one shard takes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Footprint {
    /// GPUs that it is given.
    pub gpus: usize,
    /// VRAM on each of them, with a margin.
    pub vram: Option<Bytes>,
    /// Main memory, with a margin.
    pub ram: Option<Bytes>,
    /// Cores that it keeps busy.
    pub cores: Option<f64>,
    /// Whether no other shard may be on its GPUs.
    pub exclusive: bool,
}

/// A number that side by side should not exceed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Limit {
    /// Highest number of shards side by side.
    pub count: u32,
    /// Resource that is short beyond it.
    pub by: LimitedBy,
    /// The figures, in one line.
    pub text: String,
}

/// Resource of which there is too little.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitedBy {
    /// GPUs that no other process is on.
    Gpus,
    /// Memory of the GPUs.
    Vram,
    /// Main memory of the machine.
    Ram,
    /// Processor cores of the machine.
    Cores,
    /// Time of the GPUs.
    GpuTime,
    /// Shards of the sweep.
    Shards,
    /// More was not advised.
    Advice,
}

impl LimitedBy {
    /// The scheduler keeps to it: more do not start, whatever is tried.
    pub fn is_of_claims(self) -> bool {
        match self {
            Self::Gpus | Self::Vram | Self::Ram => true,
            Self::Cores | Self::GpuTime | Self::Shards | Self::Advice => false,
        }
    }
}

/// The limits of which something is known. `reserve` stays free on every GPU.
pub fn compute_limits(machine: &MachineResources, shard: &Footprint, reserve: Bytes) -> Vec<Limit> {
    [
        limit_by_exclusive(machine, shard),
        limit_by_vram(machine, shard, reserve),
        limit_by_ram(machine, shard),
        limit_by_cores(machine, shard),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn limit_by_exclusive(machine: &MachineResources, shard: &Footprint) -> Option<Limit> {
    if !shard.exclusive || shard.gpus == 0 || machine.gpus.is_empty() {
        return None;
    }
    let count = u32::try_from(machine.gpus.len() / shard.gpus).unwrap_or(u32::MAX);
    let text = format!("a shard is alone on {} of {} GPU(s)", shard.gpus, machine.gpus.len());
    Some(Limit { count, by: LimitedBy::Gpus, text })
}

fn limit_by_vram(machine: &MachineResources, shard: &Footprint, reserve: Bytes) -> Option<Limit> {
    let claim = shard.vram.filter(|claim| *claim > Bytes(0) && shard.gpus > 0)?;
    let mut free = Vec::new();
    let mut rooms = Vec::new();
    for gpu in &machine.gpus {
        let room = Bytes(gpu.memory?.free.0.saturating_sub(reserve.0));
        rooms.push(room.0 / claim.0);
        free.push(format!("{} on GPU {}", gpu.memory?.free, gpu.index));
    }
    if rooms.is_empty() {
        return None;
    }
    let count = u32::try_from(count_placeable(&rooms, shard.gpus as u64)).unwrap_or(u32::MAX);
    let reserve = if reserve == Bytes(0) { String::new() } else { format!(", {reserve} of it kept free") };
    let each = if shard.gpus == 1 { String::new() } else { format!(" on each of {} GPUs", shard.gpus) };
    let text = format!("{count} x {claim}{each} fit into what is free: {}{reserve}", free.join(", "));
    Some(Limit { count, by: LimitedBy::Vram, text })
}

/// How many shards find a place on `each` different GPUs, of which each has places for so many.
fn count_placeable(rooms: &[u64], each: u64) -> u64 {
    let most = rooms.iter().sum::<u64>() / each.max(1);
    // More than `count` places on one GPU are useless when there are `count` shards: none is on it twice.
    let fits = |count: u64| rooms.iter().map(|room| (*room).min(count)).sum::<u64>() >= count * each;
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

fn limit_by_ram(machine: &MachineResources, shard: &Footprint) -> Option<Limit> {
    let claim = shard.ram.filter(|claim| *claim > Bytes(0))?;
    let free = machine.ram?.free;
    let count = u32::try_from(free.0 / claim.0).unwrap_or(u32::MAX);
    let text = format!("{count} x {claim} fit into {free} of free main memory");
    Some(Limit { count, by: LimitedBy::Ram, text })
}

fn limit_by_cores(machine: &MachineResources, shard: &Footprint) -> Option<Limit> {
    let busy = shard.cores.filter(|busy| *busy >= IDLE)?;
    let count = (f64::from(machine.cores) / busy).floor().max(1.0) as u32;
    let text = format!("a shard keeps {busy:.1} of {} cores busy", machine.cores);
    Some(Limit { count, by: LimitedBy::Cores, text })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::autotune::machine::{Gpu, MemoryRoom};
    use crate::model::ids::GpuIndex;

    fn machine(free: &[u64], cores: u32) -> MachineResources {
        let gpu = |(index, free): (usize, &u64)| Gpu {
            index: GpuIndex(index as u32),
            name: "card".to_owned(),
            memory: Some(MemoryRoom { total: Bytes(u64::MAX), free: Bytes(*free) }),
        };
        let gpus = free.iter().enumerate().map(gpu).collect();
        let ram = Some(MemoryRoom { total: Bytes(64 << 30), free: Bytes(10 << 30) });
        MachineResources { cores, ram, gpus, no_gpu: None }
    }

    proptest! {
        #[test]
        fn what_fits_never_exceeds_what_is_free(
            free in proptest::collection::vec(0_u64..1_000, 1..9),
            claim in 1_u64..200,
            each in 1_usize..4,
            reserve in 0_u64..100,
        ) {
            let shard = Footprint { gpus: each, vram: Some(Bytes(claim)), ..Footprint::default() };
            let limits = compute_limits(&machine(&free, 8), &shard, Bytes(reserve));
            let count = u64::from(limits[0].count);
            let rooms: Vec<u64> = free.iter().map(|free| free.saturating_sub(reserve) / claim).collect();
            // Given out greedily to the emptiest GPUs, just so many find a place.
            let mut left = rooms;
            let mut placed = 0;
            loop {
                left.sort_unstable_by(|a, b| b.cmp(a));
                if left.len() < each || left[each - 1] == 0 {
                    break;
                }
                left[..each].iter_mut().for_each(|room| *room -= 1);
                placed += 1;
            }
            prop_assert_eq!(count, placed);
        }
    }

    #[test]
    fn each_limit_says_what_it_rests_on() {
        let shard = Footprint {
            gpus: 1,
            vram: Some(Bytes(3 << 30)),
            ram: Some(Bytes(4 << 30)),
            cores: Some(1.5),
            exclusive: true,
        };
        let all = compute_limits(&machine(&[10 << 30, 4 << 30], 8), &shard, Bytes(1 << 30));
        let told: Vec<(u32, &str)> = all.iter().map(|limit| (limit.count, limit.text.as_str())).collect();
        assert_eq!(
            told,
            [
                (2, "a shard is alone on 1 of 2 GPU(s)"),
                (
                    4,
                    "4 x 3.0 GiB fit into what is free: 10.0 GiB on GPU 0, 4.0 GiB on GPU 1, 1.0 GiB of it kept free"
                ),
                (2, "2 x 4.0 GiB fit into 10.0 GiB of free main memory"),
                (5, "a shard keeps 1.5 of 8 cores busy"),
            ]
        );
        assert_eq!(compute_limits(&machine(&[], 8), &Footprint::default(), Bytes(0)), []);
    }
}
