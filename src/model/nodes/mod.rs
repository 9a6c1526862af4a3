//! Machines that take shards of a run: what they are, what they are asked to do, and what is known of them.

pub mod node_event;
pub mod node_phase;
pub mod node_state;
pub mod order;
