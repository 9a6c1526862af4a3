//! Dashboards: of a run, of all runs, of the machine, of a recording.

pub mod attach;
pub mod browse;
pub mod column_keeper;
pub mod dashboard;
pub mod home;
pub mod keys;
pub mod live_readings;
pub mod monitor;
pub mod monitor_args;
pub mod open;
pub mod paper;
pub(super) mod record_machine;
pub mod replay;
pub mod screen_args;
pub mod screenshot;
pub mod theme_keeper;
