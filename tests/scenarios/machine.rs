//! Readings of a machine in one line: `machine 80/39 48/0 a=2 b@1=3 training@0=37 ram=64/32 cores=16`.
//!
//! Cards in their order with total and used GiB; what shards hold on GPU 0 or on another; a name that is no shard's is a
//! stranger's; `fault@1` for one that may pass, `lost@1` for one that does not, and `untold` where the driver does not
//! tell which processes use how much.

use std::collections::BTreeMap;

use jiff::Timestamp;
use sweepdeck::model::claims::claim::Tenancy;
use sweepdeck::model::ids::{AttemptKey, GpuIndex, ShardId};
use sweepdeck::model::shortage::Stranger;
use sweepdeck::model::units::Bytes;
use sweepdeck::scheduler::machine::{AttemptUse, GpuState, MachineState, OtherClaim, OtherGpu, Ram};

use crate::script::gib;
use crate::world::World;

/// Reads it; every active attempt is in it, also one that holds nothing.
pub fn read(world: &World, parts: &[&str]) -> MachineState {
    let mut machine = MachineState {
        at: world.timestamp(),
        cards: Vec::new(),
        cores: None,
        ram: None,
        attempts: active(world).map(|key| (key, AttemptUse::default())).collect::<BTreeMap<_, _>>(),
        visitors: Vec::new(),
    };
    for part in parts {
        take(&mut machine, part);
    }
    machine
}

fn active(world: &World) -> impl Iterator<Item = AttemptKey> {
    let active = world.state.shards.iter().filter(|shard| shard.phase.kind().is_active());
    active.map(|shard| AttemptKey { shard: shard.id.clone(), attempt: shard.attempt.unwrap() })
}

fn take(machine: &mut MachineState, part: &str) {
    let Some((name, value)) = part.split_once('=') else {
        match (part, part.split_once('@'), part.split_once('/')) {
            ("untold", _, _) => machine.cards.iter_mut().for_each(|card| {
                card.tells_processes = false;
                card.strangers = None;
                card.listed_strangers = Bytes(0);
            }),
            (_, Some((fault @ ("fault" | "lost"), gpu)), _) => {
                let card = &mut machine.cards[number(gpu)];
                card.fault = Some("fell off the bus".to_owned());
                card.is_lost = fault == "lost";
            }
            (_, _, Some((total, used))) => {
                let card = card(machine.cards.len(), machine.at, total, used);
                machine.cards.push(card);
            }
            (other, _, _) => panic!("unknown part {other:?}"),
        }
        return;
    };
    match name {
        "ram" => {
            let (total, free) = value.split_once('/').unwrap();
            machine.ram = Some(Ram { total: gib(total), free: gib(free) });
        }
        "cores" => machine.cores = Some(value.parse().unwrap()),
        name => {
            let (name, gpu) = name.split_once('@').unwrap_or((name, "0"));
            let shard = ShardId::new(name).unwrap();
            match machine.attempts.iter_mut().find(|(key, _)| key.shard == shard) {
                Some((_, attempt)) => attempt.vram.push((GpuIndex(number(gpu) as u32), Some(gib(value)))),
                None => {
                    let (pid, name) = (4711, Some(name.to_owned()));
                    let card = &mut machine.cards[number(gpu)];
                    card.stranger = Some(Stranger { pid, name, vram: gib(value) });
                    card.strangers = Some(gib(value));
                    card.listed_strangers = gib(value);
                }
            }
        }
    }
}

fn card(gpu: usize, at: Timestamp, total: &str, used: &str) -> GpuState {
    GpuState {
        gpu: GpuIndex(gpu as u32),
        at: Some(at),
        total: Some(gib(total)),
        used: Some(gib(used)),
        tells_processes: true,
        stranger: None,
        strangers: Some(Bytes(0)),
        listed_strangers: Bytes(0),
        fault: None,
        is_lost: false,
    }
}

/// `0=10/2`: another run was promised 10 GiB on GPU 0 and uses 2 of them; `0=alone` nobody may join it.
pub fn other(part: &str) -> OtherClaim {
    let (gpu, value) = part.split_once('=').unwrap();
    let (claim, used) = value.split_once('/').unzip();
    let gpu = OtherGpu { gpu: GpuIndex(number(gpu) as u32), claim: claim.map(gib), used: used.map(gib) };
    let tenancy = if value == "alone" { Tenancy::Alone } else { Tenancy::Shared };
    let holder = "the run other".to_owned();
    OtherClaim { holder, gpus: vec![gpu], tenancy, cpus: None, cores: Vec::new(), ram: None, rss: None }
}

fn number(text: &str) -> usize {
    text.parse().unwrap()
}
