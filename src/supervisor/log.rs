//! Lines of `supervisor.log`, for a person who has to find out what went wrong.

use std::io::Write;

use jiff::Timestamp;

/// Writes a line; the supervisor's standard error is `supervisor.log`.
pub(super) fn log_line(text: &str) {
    // A log that cannot be written (a full disk) must not end the run.
    let _ = writeln!(std::io::stderr(), "{} {text}", Timestamp::now());
}
