//! Shards: the table, the details of one, and what is wrong in a sentence.

pub(super) mod columns;
pub mod details;
pub mod sentence;
pub(super) mod service;
pub mod sweep_plan;
pub mod table;
pub(super) mod table_title;
