//! Readings of GPUs, host and processes; what could not be read stays unknown.

mod cgroup;
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
pub mod nvml_error;
pub mod nvml_lists;
pub mod nvml_raw;
pub mod nvml_reader;
pub mod nvml_violations;
pub mod nvml_xids;
pub mod oom_kills;
pub mod proc_files;
mod resident;
#[cfg(test)]
pub mod scripted;
pub mod shard_cpu;
pub mod shards;
pub mod system;
pub mod topology;
