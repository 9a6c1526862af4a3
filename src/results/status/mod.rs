//! The document of `status`: what a run is at now.

pub mod document;
pub mod nodes;
pub mod plain_text;
pub mod service;
pub mod shard;
pub mod shortage;
pub mod silence;
pub mod sources;
pub mod stuck;
pub mod waiting;

#[cfg(test)]
pub(crate) mod status_tests;
