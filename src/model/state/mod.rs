//! What happened to a run: the facts of its journal, and the state that they add up to.

mod at_nodes;
pub mod attempt_warnings;
pub mod closing;
pub mod comparison_blocks;
pub mod condition;
pub mod earlier_attempts;
pub mod event_groups;
pub mod event_shard;
pub mod fact;
pub mod opening;
pub mod phase;
pub mod plan_now;
pub mod previous;
pub mod run_holds;
pub mod run_info;
pub mod run_state;
pub mod run_warnings;
pub mod service_state;
pub mod shard_state;
pub mod start_order;
pub mod tally;
pub mod warning_topic;
pub mod watch_end;
pub mod write_trouble;
