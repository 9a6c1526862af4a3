//! A first sweep file: from nothing, from what a log looks like, or from a bash script with loops.

pub mod command_line;
pub mod draft;
pub mod script;
pub mod words;
