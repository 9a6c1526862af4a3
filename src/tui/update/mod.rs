//! How messages change the model; pure, so that every key and every fact can be tested without a terminal.

pub mod acting;
pub mod form;
pub mod home;
pub mod home_request;
pub mod keys;
pub mod log;
pub mod message;
pub mod monitor;
pub mod moving;
pub mod palette;
pub mod queueing;
mod sweep_plan;
pub mod themes;
pub mod whole_run;
