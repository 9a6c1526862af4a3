//! Pages and numbers for programs that ask over HTTP: read-only, and only for the askers that are meant.

pub mod gate;
pub mod reply;
pub mod server;
pub mod token;
