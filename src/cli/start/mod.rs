//! What happens before a run: its sweep is checked, what fits is said, and it is launched.

pub(super) mod announced;
pub mod check;
pub(super) mod check_services;
pub mod fit;
pub mod git;
pub mod gpu_look;
pub(super) mod headless;
pub mod launch;
pub mod launcher;
pub mod recall;
pub mod run;
pub mod sweep;
pub mod wishes;
