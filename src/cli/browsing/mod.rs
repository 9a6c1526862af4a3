//! From one screen to the next: home, a run, a recording.

pub mod attach;
pub mod browse;
pub mod browsing_args;
pub mod home;
pub mod replay;
