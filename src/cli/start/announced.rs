//! What runs of other users let this one know of what they claim.

use serde_json::{Value, json};

use crate::model::claims::announcement::{GpuAnnouncement, UserAnnouncement};
use crate::model::machine::sample::GpuInventory;
use crate::model::units::Bytes;
use crate::process::user;

/// A line for each run.
pub fn format_announced(announced: &[UserAnnouncement], inventory: &GpuInventory) -> String {
    announced.iter().map(|one| format!("{}\n", format_line(one, inventory))).collect()
}

fn format_line(announced: &UserAnnouncement, inventory: &GpuInventory) -> String {
    let what = &announced.what;
    let shards = if what.shards == 1 { "1 shard".to_owned() } else { format!("{} shards", what.shards) };
    let mut claims: Vec<String> = what.gpus.iter().map(|gpu| on_gpu(gpu, inventory)).collect();
    if what.cpus > 0 {
        claims.push(format!("{} cores", what.cpus));
    }
    if what.ram_bytes > Bytes(0) {
        claims.push(format!("{} of memory", what.ram_bytes));
    }
    if claims.is_empty() {
        claims.push("no amounts".to_owned());
    }
    format!("a run of {} claims for {shards}: {}", user::name_of(announced.uid), claims.join(", "))
}

/// A UUID is a word of another user, and is not printed.
fn on_gpu(gpu: &GpuAnnouncement, inventory: &GpuInventory) -> String {
    let card = inventory.cards().iter().find(|card| card.uuid == gpu.gpu);
    let which =
        card.map_or_else(|| "a GPU that is not seen here".to_owned(), |card| format!("GPU {}", card.index));
    format!("{} on {which}", gpu.vram_bytes)
}

/// The same for programs.
pub fn to_json(announced: &[UserAnnouncement], inventory: &GpuInventory) -> Vec<Value> {
    let gpu = |gpu: &GpuAnnouncement| {
        let card = inventory.cards().iter().find(|card| card.uuid == gpu.gpu)?;
        Some(json!({ "index": card.index, "shards": gpu.shards, "vram_bytes": gpu.vram_bytes }))
    };
    let one = |one: &UserAnnouncement| {
        let gpus: Vec<Value> = one.what.gpus.iter().filter_map(gpu).collect();
        json!({
            "uid": one.uid,
            "shards": one.what.shards,
            "gpus": gpus,
            "cpus": one.what.cpus,
            "ram_bytes": one.what.ram_bytes,
        })
    };
    announced.iter().map(one).collect()
}
