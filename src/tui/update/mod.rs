//! How messages change the model; pure, so that every key and every fact can be tested without a terminal.

pub mod acting;
mod addition;
mod columns;
pub mod form;
pub mod home;
pub mod home_request;
pub mod keys;
pub mod log;
pub mod message;
pub mod monitor;
mod mouse;
pub mod moving;
pub mod own;
pub mod palette;
pub mod queueing;
mod services;
mod sweep_plan;
pub mod themes;
mod typing;
mod unbound;
pub mod whole_run;
