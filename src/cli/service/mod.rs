//! `service`: runs continue by themselves after a reboot.

pub mod service;
pub mod service_args;
mod unit;
