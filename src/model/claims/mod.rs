//! What runs have claimed of the machine, and what others use of it.

pub mod announcement;
pub mod budget;
pub mod claim;
pub mod foreign_work;
pub mod neighbours;
