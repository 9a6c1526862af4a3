//! Everything the screen shows, as plain values.

pub mod causes;
pub mod course;
pub mod events;
pub mod filter;
pub mod gpu_remarks;
pub mod home;
pub mod log;
pub mod log_line;
pub mod machine;
pub mod matrix;
pub mod monitor;
pub mod overlay;
pub mod playback;
pub mod readings;
pub mod run_line;
pub mod screen;
pub mod search;
pub mod success;
pub mod sweep_plan;
pub mod table;
pub mod theme_chooser;
pub mod totals;
pub mod track;
pub mod troubles;
pub mod views;
pub mod words;
