//! Whole logs in, readings and verdicts out.

mod reading_logs;
mod verdicts;
