//! The verdict on a log that nobody launched, and what is printed of it.

pub mod reading;
pub mod suggest;
pub mod text;
