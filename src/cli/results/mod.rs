//! Results of ended shards: reports and comparisons.

pub mod compare;
pub mod compare_args;
pub mod report;
pub mod report_args;
