//! A run on several machines. On the machine of the run: nodes are started, and their journals are read. On a node: orders
//! are read.

mod dealing;
mod forwarding;
mod job_desk;
mod lease;
mod node_signs;
mod node_start;
mod node_task;
mod node_watch;
mod order_watch;
pub(super) mod watches;
