//! Output of running attempts: their logs, and the files in which they report their progress.

pub(super) mod attempt_log;
pub(super) mod progress_file;
pub(super) mod reading;
