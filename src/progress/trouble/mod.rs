//! What goes wrong, as seen in logs: spellings of errors, tracebacks, prompts, and what simulators remark.

pub mod alerts;
pub mod built_in;
pub mod cause;
pub mod memory_holders;
pub mod outlived;
pub mod parts;
pub mod prompt;
pub mod renderer;
pub mod spellings;
pub mod traceback;
pub mod uncaught;
