//! The man pages.

pub mod man_args;
pub mod man_pages;
