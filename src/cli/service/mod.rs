//! `service`: runs continue by themselves after a reboot.

pub mod service_args;
mod unit;
pub mod unit_actions;
