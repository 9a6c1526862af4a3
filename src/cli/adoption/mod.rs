//! Work that was started elsewhere, on the dashboard.

pub mod adopt;
pub mod adopt_args;
pub(super) mod adopt_names;
pub(super) mod adopt_work;
pub mod watch_log;
