//! What a run came to: rows, summary and merged values, all pure.

pub mod artifacts;
pub mod axes;
pub mod comparison;
pub mod counted_success;
pub mod counted_unit;
pub mod doubts;
pub mod edited;
pub mod exposition;
pub mod faces;
pub mod findings;
pub mod interval;
pub mod live;
pub mod measured;
pub mod merge;
pub mod metric_summary;
pub mod outcome;
pub mod pack_values;
pub mod paper;
pub mod rate_text;
pub mod report;
pub mod rerun;
pub mod scale;
pub mod statistics;
pub mod status;
pub mod tensorboard;
pub mod time_left;

#[cfg(test)]
mod node_tests;

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
mod tests;
