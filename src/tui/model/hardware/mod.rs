//! GPUs and the host: what is known of them, in which order they stand, and what is remarked.

pub mod gpu_order;
pub mod gpu_remarks;
pub mod gpu_tags;
pub mod heat;
pub mod machine;
