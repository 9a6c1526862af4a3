//! The holder: the small process that owns the terminal of one attempt.
//!
//! It is one loop over `poll` in one thread: `holder` prepares it and leaves the exit record, `conversation` is
//! the loop, and the other files are the things that it holds. A second thread sleeps until that loop hangs (`relief`).

mod attach;
mod client;
pub mod error;
pub mod holder;
mod holder_loop;
mod isolation;
mod launch_error;
mod lifecycle;
mod output;
mod output_log;
mod processes;
mod relief;
mod spool;
mod start;
mod stop;
mod supervisor_watch;
mod targets;
mod terminal;
