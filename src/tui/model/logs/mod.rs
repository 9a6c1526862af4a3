//! The log that is shown, and what is searched in it.

pub mod log;
pub mod log_hits;
pub mod log_line;
