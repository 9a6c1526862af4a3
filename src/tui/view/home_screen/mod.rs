//! The list of all runs.

pub mod home;
pub(super) mod home_help;
pub(super) mod home_preview;
pub(super) mod run_row;
