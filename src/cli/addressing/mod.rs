//! Which run and which of its shards are meant, and how its supervisor is asked.

pub mod control;
pub mod target;
pub mod target_args;
