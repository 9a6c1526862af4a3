//! The tables of a sweep file, one each.

pub(super) mod analysis;
pub mod commands;
pub(super) mod hooks;
pub(super) mod hours;
pub(super) mod ladder;
pub mod log_rules;
pub(super) mod metric;
pub(super) mod neighbours;
pub(super) mod nodes;
pub(super) mod reporter;
pub mod reporter_command;
pub(super) mod resources;
pub(super) mod results;
pub(super) mod resume;
pub(super) mod schedule;
pub(super) mod service;
