//! The text of a file as values with their places, and what is wrong with it.

mod hints;
pub mod problem;
pub(super) mod scalar;
pub(super) mod syntax;
pub(super) mod table;
pub mod written;
