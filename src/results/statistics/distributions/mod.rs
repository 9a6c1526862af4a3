//! Distributions and resampling, without a word of shards.

pub mod beta;
pub mod bootstrap;
pub mod normal;
pub mod resampling;
pub mod student;
