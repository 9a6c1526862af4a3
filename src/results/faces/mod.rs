//! The findings as files and texts for others to read.

pub mod called_shard;
pub mod hook_calls;
pub mod hook_texts;
pub mod junit;
pub mod markdown;
pub mod pack_table;
pub mod summary;
pub mod table;
pub mod text;

#[cfg(test)]
mod junit_tests;
