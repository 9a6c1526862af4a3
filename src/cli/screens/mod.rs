//! Dashboards: of a run and of the machine, live, as pictures and as recordings.

pub mod column_keeper;
pub mod dashboard;
pub mod keys;
pub mod live_readings;
pub mod monitor;
pub mod monitor_args;
pub mod open;
pub mod print_frame;
pub(super) mod record_machine;
pub mod screen_args;
pub mod screenshot;
pub mod screenshot_args;
pub mod theme_keeper;
