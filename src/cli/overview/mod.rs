//! What runs are and how they stand, as text and JSON.

pub mod glance;
pub(super) mod glances;
pub mod logs;
pub mod ls;
pub mod status;
pub mod watch;
