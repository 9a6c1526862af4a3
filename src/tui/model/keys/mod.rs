//! Keys, those that the user has chosen, and commands that have a key.

pub mod chosen;
pub mod key;
pub mod keyed;
