//! From a sweep to a run: the sweep is checked, what fits is printed, and the run is launched.

pub(super) mod announced;
pub mod check;
pub(super) mod check_services;
pub mod demo_sweep;
pub mod git;
pub(super) mod headless;
pub mod launch;
pub mod launcher;
pub mod new_run_args;
pub mod node_checks;
pub mod overrides;
pub mod own_formats;
pub mod recall;
pub mod resolve_parallel;
pub mod start_args;
pub mod sweep;
