//! Verbs that show runs to other programs: metrics, pages.

pub mod address;
pub mod export;
pub mod export_args;
pub mod live_report;
pub mod metrics;
pub mod metrics_args;
pub mod run_numbers;
pub mod serve;
pub mod serve_args;
