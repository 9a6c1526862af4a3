//! Which runs there are and the state of each, as text and JSON.

pub mod glance;
pub(super) mod glances;
pub mod logs;
pub mod ls;
pub mod status;
pub mod watch;
