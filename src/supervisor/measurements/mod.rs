//! What is measured while attempts run, and what the machine has for them.

pub(super) mod allocation_watch;
pub(super) mod container_roots;
pub mod foresight;
pub(super) mod gpu_choice;
pub(super) mod gpu_faults;
pub(super) mod gpu_mismatch;
pub(super) mod load;
pub(super) mod machine;
pub(super) mod measuring;
pub(super) mod neighbour_claims;
pub(super) mod reservations;
pub(super) mod roots;
pub(super) mod system_survey;
pub(super) mod telemetry;
pub(super) mod tracked;
pub(super) mod vram_rise;
