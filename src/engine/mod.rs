//! Where attempts run: this machine for now, behind one trait.

pub mod error;
pub mod event;
pub mod local;
pub mod spawner;
