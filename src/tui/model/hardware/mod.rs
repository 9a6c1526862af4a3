//! GPUs and the host: what is known of them, the order in which they are listed, and the remarks on them.

pub mod gpu_order;
pub mod gpu_remarks;
pub mod gpu_sums;
pub mod gpu_tags;
pub mod heat;
pub mod machine;
pub mod machines;
pub mod node_rows;
