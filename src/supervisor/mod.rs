//! The background scheduler of one run: hears, decides, records, acts.
//!
//! `keeper` waits for the supervisor and starts it again; `run` is its loop; everything else is a deed or a
//! source of events, one file each.

pub mod error;

mod attempts;
mod control;
mod deeds;
mod growth;
mod heard;
pub mod hooks;
pub mod lifetime;
mod log;
mod logs;
pub mod measurements;
mod own_needs;
mod ready;
mod record;
pub mod results;
mod services;
mod teaching;
mod turns;
mod unanswered;
mod waiting;
mod wall_clock;
mod write_troubles;
