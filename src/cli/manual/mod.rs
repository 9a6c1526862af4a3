//! The man pages.

pub mod man_pages;
