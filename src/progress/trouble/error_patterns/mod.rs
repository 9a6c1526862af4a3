//! The error patterns by which a line shows trouble, one file for each kind of it.

pub mod device;
pub mod ends;
pub mod memory;
pub mod surroundings;
pub mod table;
