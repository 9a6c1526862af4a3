//! What the program says about itself, and the first sweep.

pub mod explain;
pub mod explain_args;
pub mod help;
pub mod init;
pub mod init_args;
