//! Processes: identity, forking, signals, trees and what is left of them.

pub mod affinity;
pub mod clock_sync;
pub mod container_args;
pub mod containers;
pub mod description;
pub mod error;
pub mod fd;
pub mod identity;
pub mod lack;
pub mod listener;
pub mod oom;
pub mod open_files;
pub mod panics;
pub mod readable;
pub mod reap;
pub mod signal;
pub mod signal_fd;
pub mod slurm_job;
pub mod start;
pub mod stat;
pub mod strays;
pub mod tag;
pub mod tree;
pub mod usage;
pub mod user;
pub mod wait;
