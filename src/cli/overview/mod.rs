//! Which runs there are and the state of each, as text and JSON.

pub mod logs;
pub mod ls;
pub mod overview_args;
pub(super) mod run_summaries;
pub mod status;
pub mod summarize_run;
pub mod watch;
