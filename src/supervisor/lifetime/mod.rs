//! How a supervisor is started, kept alive, and runs.

mod guard;
pub mod keeper;
pub(super) mod run;
pub mod start;
