//! What the run as a whole comes to.

pub mod headline;
pub mod overall;
pub mod run_progress;
pub mod success;
pub mod totals;
