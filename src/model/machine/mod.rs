//! GPUs and the host: what they are, and what was measured of them.

pub mod allocation;
pub mod gpu_health;
pub mod gpu_permit;
pub mod host_bounds;
pub mod sample;
pub mod system_info;
pub mod throttle;
pub mod topology;
pub mod vram_parts;
pub mod xid;
