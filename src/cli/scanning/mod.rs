//! The verb `scan`: shows how a log is read.

pub mod scan;
pub mod scan_args;
pub mod scan_plan;
pub mod scan_table;
