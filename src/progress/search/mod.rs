//! Searches for many literals at once: most lines hold none and cost nothing more.

pub mod gram_search;
pub mod literals;
pub mod text_set;
