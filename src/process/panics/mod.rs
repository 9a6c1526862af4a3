//! What a process leaves behind that panics: a line in its log, and a report for its user.

pub mod note;
pub mod report;
