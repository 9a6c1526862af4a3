//! What a shard needs of the machine.

pub mod demand;
pub mod own_needs;
pub mod resources;
