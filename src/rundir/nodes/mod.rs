//! Nodes of a run: the folder of each, which is a run of its own, and the orders that it is given.

pub mod attempt_links;
pub mod link_target;
pub mod node_dir;
pub mod order_files;
