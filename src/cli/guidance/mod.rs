//! What the program says about itself.

pub mod explain;
pub mod explain_args;
