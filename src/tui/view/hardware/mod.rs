//! GPUs and the host.

pub mod cores;
pub mod gpu_card;
pub mod gpu_detail;
pub(super) mod gpu_grid;
pub(super) mod gpu_panels;
pub(super) mod gpu_processes;
pub(super) mod gpu_row;
pub mod gpus;
pub mod host;
pub mod machine;
pub(super) mod node_lines;
pub mod nodes;
pub mod past;
pub(super) mod spread_panel;
pub(super) mod tenants;
