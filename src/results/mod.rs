//! What a run came to: rows, summary and merged values, all pure.

pub mod artifacts;
pub mod axes;
pub mod comparison;
pub mod counted_success;
pub mod counted_unit;
pub mod findings;
pub mod hook_calls;
pub mod interval;
pub mod junit;
pub mod markdown;
pub mod measured;
pub mod merge;
pub mod metric_summary;
pub mod outcome;
pub mod pack_table;
pub mod pack_values;
pub mod paper;
pub mod rate_text;
pub mod repeated_ends;
pub mod repeats;
pub mod report;
pub mod run_troubles;
pub mod seeds;
pub mod statistics;
pub mod summary;
pub mod table;
pub mod text;
pub mod totals;

pub mod edited;
pub mod eta;
pub mod fellows;
pub mod forecast;
pub mod live;
pub mod pace;
pub mod remaining;
pub mod rerun;
pub mod shard_left;
pub mod shortage;
pub mod silence;
pub mod status;
pub mod status_service;
pub mod status_shard;
pub mod status_sources;
pub mod status_text;
pub mod stuck;
pub mod waiting;

#[cfg(test)]
mod junit_tests;
#[cfg(test)]
mod paired_metric_tests;
#[cfg(test)]
mod paired_tests;
#[cfg(test)]
mod ranking_tests;
#[cfg(test)]
mod sequential_tests;
#[cfg(test)]
mod statistics_tests;
#[cfg(test)]
pub(crate) mod status_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod time_left_tests;
