//! The Model Context Protocol, by which assistants ask: messages in, answers out, and the tools that they may call.

pub mod arguments;
pub mod parameter;
pub mod protocol;
pub mod tools;
