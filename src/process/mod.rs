//! Processes: identity, forking, signals, trees and what is left of them.

pub mod affinity;
pub mod container_args;
pub mod containers;
pub mod description;
pub mod detach;
pub mod error;
pub mod fd;
pub mod fork;
pub mod identity;
pub mod lack;
pub mod launch;
pub mod launch_failure;
pub mod listener;
pub mod oom;
pub mod open_files;
pub mod program;
pub mod readable;
pub mod reap;
mod shim;
pub mod signal;
pub mod signal_fd;
pub mod stat;
pub mod tag;
pub mod title;
pub mod tree;
pub mod user;
pub mod wait;
