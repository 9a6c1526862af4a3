//! Commands that the program gives itself.

pub mod begin_node;
pub mod call_hook;
pub mod container_client;
pub mod end_node;
pub mod hold;
pub mod internal_args;
pub mod probe_node;
pub mod supervise;
