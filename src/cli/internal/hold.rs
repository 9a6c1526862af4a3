//! `hold`, hidden: the process behind one attempt, started by hand or in place of a forked one.

use std::path::Path;
use std::process::ExitCode;

use crate::process::log;
use crate::session::holder;

/// Runs the attempt in this folder to its end.
pub fn run(folder: &Path) -> ExitCode {
    log::log_to_stderr();
    // Only a spawner waits for the report that the program runs.
    ExitCode::from(u8::try_from(holder::serve_attempt(folder, &mut |_| {})).unwrap_or(1))
}
