//! Calls of the user's hook.

pub(super) mod calls;
pub mod hook_caller;
pub(super) mod hook_output;
pub(super) mod hook_queue;
