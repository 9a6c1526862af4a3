//! The small language of these tests: a place with its own runs, processes that are watched, and a terminal.

mod local_tests;
mod one_node;
pub mod place;
pub mod processes;
pub mod screen;
pub mod wait;
