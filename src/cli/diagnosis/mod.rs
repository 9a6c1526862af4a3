//! The state of this machine and session, and what a bug report needs of it.

pub mod bug_report;
pub mod doctor;
pub mod doctor_args;
pub mod redaction;
