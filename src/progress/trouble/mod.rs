//! What goes wrong, as seen in logs: error patterns of errors, tracebacks, prompts, and what simulators remark.

pub mod alerts;
pub mod built_in;
pub mod cause;
pub mod error_patterns;
pub mod job_status;
pub mod memory_holders;
pub mod outlived;
pub mod parts;
pub mod prompt;
pub mod renderer;
pub mod told_to_end;
pub mod traceback;
pub mod uncaught;
