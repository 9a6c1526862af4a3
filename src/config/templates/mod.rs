//! Templates of a sweep: their syntax, their variables, and the commands that come of them.

pub(super) mod names;
pub mod paths;
pub(super) mod preview;
pub(super) mod program_path;
pub mod quote;
pub mod render;
pub mod render_service;
pub(super) mod script;
pub mod service_values;
pub(super) mod shard;
pub(super) mod template;
pub mod template_use;
pub(super) mod variables;
