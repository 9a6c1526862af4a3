//! Services that shards share: which instances are needed, which shard uses which, when they start and end.
//!
//! An instance has attempts as a shard has; it is no shard: it has no slot, and the run does not wait for its success.

pub mod desk;

pub mod beside;
pub mod instances;

pub mod roster;

pub mod tending;

pub mod ends;

pub mod doubt;
pub mod restarts;

pub mod rule;
