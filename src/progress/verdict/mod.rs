//! The verdict on an ended attempt.

pub mod judgement;
pub mod log_warnings;
pub mod unseen_exit;
