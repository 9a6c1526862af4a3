//! What a log says: `scan`.

pub mod scan;
pub mod scan_args;
pub mod scan_plan;
pub mod scan_table;
