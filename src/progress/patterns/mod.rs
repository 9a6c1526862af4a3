//! The patterns that a sweep declares itself.

pub mod error;
pub mod fault;
pub mod own;
pub mod own_use;
pub mod own_values;
pub mod watched;
