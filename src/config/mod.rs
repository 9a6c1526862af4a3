//! A sweep file becomes a checked plan, a plan the command of an attempt, and the user's file settings: pure, from text
//! to values.
//!
//! Reading goes `table` (the spanned document) -> one file per section -> `expand` (combos, packs and slices to
//! shards). Nothing stops at the first mistake: every file adds to one list of [`document::problem::Problems`].

pub mod document;
pub mod edit;
mod expand;
pub mod growth;
pub mod init;
pub mod kept_theme;
pub mod keys;
pub mod matrix;
pub mod needs;
mod own_paths;
mod pack;
pub mod plan;
pub mod same_sweep;
pub mod sections;
pub mod settings;
pub mod templates;
mod trial;
