//! How much longer shards and runs take.

pub mod estimate;
pub mod eta;
pub mod fellows;
pub mod forecast;
pub mod pace;
mod places;
pub mod remaining;
pub mod shard_left;

#[cfg(test)]
mod time_left_tests;
