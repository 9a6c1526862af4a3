//! When shards may start, and which of them first.

pub mod allocation;
pub mod brake;
pub mod gate;
pub mod opening;
pub mod precedence;
