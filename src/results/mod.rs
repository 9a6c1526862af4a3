//! What a run came to: rows, summary and merged values, all pure.

pub mod eta;
pub mod live;
pub mod status;
pub mod status_shard;
pub mod status_text;
pub mod waiting;

#[cfg(test)]
mod status_tests;
