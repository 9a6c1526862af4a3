//! A run on several machines. On the machine of the run: nodes are started, and their journals are read. On a node: orders
//! are read.

mod dealing;
mod forwarding;
mod node_start;
pub(super) mod node_watch;
mod order_watch;
pub(super) mod watches;
