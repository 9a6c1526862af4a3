//! Programs that are started, with or without a terminal of their own.

pub mod container_args;
pub mod detach;
pub mod fork;
pub mod launch;
pub mod launch_failure;
pub mod patient_command;
pub mod program;
pub mod remote_shell;
pub(super) mod shim;
pub mod title;
