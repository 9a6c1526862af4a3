//! The verb for assistants.

pub mod mcp;
pub mod mcp_args;
