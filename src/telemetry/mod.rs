//! Readings of GPUs, host and processes; what could not be read stays unknown.

pub mod cgroup;
pub mod component_memory;
pub mod gpu;
pub mod gpu_faults;
pub mod gpu_processes;
pub mod gpu_source;
pub mod gpu_use;
pub mod host;
pub mod host_bounds;
pub mod host_io;
pub mod nvml;
pub mod oom_kills;
pub mod proc_files;
mod resident;
pub mod shard_cpu;
pub mod shards;
pub mod system;
pub mod topology;

#[cfg(test)]
pub mod scripted;
