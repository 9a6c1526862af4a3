//! The list of all runs.

pub mod home;
pub mod home_areas;
pub mod run_line;
