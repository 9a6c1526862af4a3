//! The user's own terminal on that of a shard.

pub mod detach_key;
pub mod enter;
pub mod raw_mode;
