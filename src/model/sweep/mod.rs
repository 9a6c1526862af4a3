//! What a sweep declares: its axes, shards, commands and services, and the plan that comes from them.

pub mod axis;
pub mod cluster_axes;
pub mod command_template;
pub mod edit;
pub mod episode_source;
pub mod expansion;
pub mod growth;
pub mod hook;
pub mod ladder;
pub mod node_spec;
pub mod own_command;
pub mod plan;
pub mod plan_needs;
pub mod plan_services;
pub mod presets;
pub mod resume;
pub mod rule;
pub mod service;
pub mod shard_template;
pub mod slice;
pub mod split;
pub mod tuning;
