//! A sweep file becomes a checked plan, a plan the command of an attempt, and the user's file settings: pure, from text
//! to values.
//!
//! Reading goes `table` (the spanned document) -> one file per section -> `expand` (combos, packs and slices to
//! shards). Nothing stops at the first mistake: every file adds to one list of [`problem::Problems`].

pub mod axis_source;
pub mod axis_watch;
pub mod commands;
pub mod plan;
pub mod problem;

pub mod edit;
pub mod growth;
pub mod same_sweep;

pub mod render;
pub mod render_service;

pub mod service_values;

pub mod only;

pub mod reporter_command;

pub mod paths;

pub mod slots;

pub mod template_use;

pub mod kept_theme;
pub mod settings;
pub mod written;

mod analysis;
mod episodes;
mod expand;
mod hooks;
mod hours;
mod ladder;
mod log_rules;
mod matrix;
mod metric;
mod names;
pub mod needs;
mod neighbours;
mod own_paths;
mod pack;
mod preview;
mod program_path;
mod quote;
mod reporter;
mod resources;
mod results;
mod resume;
mod runner;
mod scalar;
mod schedule;
mod script;
mod service;
mod shard;
mod table;
mod template;
mod trial;
mod variables;
