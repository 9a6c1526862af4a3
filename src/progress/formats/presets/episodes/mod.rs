//! Evaluators that count episodes in their own words.

pub mod episode;
pub mod episode_plan;
pub mod episode_training;
pub mod suites;
