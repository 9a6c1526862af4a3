//! The terminal: what is drawn on it, what is typed into it, signals, and how often all that happens.

pub mod clipboard;
mod decoder;
pub mod input;
pub mod notify;
pub mod own_process;
pub mod pace;
pub mod screen;
pub mod signals;
pub mod tenant;
pub mod terminal_style;
