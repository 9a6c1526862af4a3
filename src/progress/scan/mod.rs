//! The verdict on a log that was not launched here, and what is printed of it.

pub mod examples;
pub mod reading;
pub mod suggest;
pub mod text;
