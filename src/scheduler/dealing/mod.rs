//! A run on several machines: shards are dealt to nodes, each of which schedules those that it has.

pub mod deal;
pub mod giving_up;
mod lineage;
pub mod orders;
pub mod reclaim;
pub mod relay;
