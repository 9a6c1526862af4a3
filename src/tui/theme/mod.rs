//! Colours by role, read from TOML files, and the characters to draw with.

pub mod color;
pub mod error;
pub mod file;
pub mod glyphs;
pub mod painted;
pub mod role;
pub mod store;
pub mod style;
