//! What programs print: escape sequences, counts of work, and values found in it.

pub mod coloured;
pub mod escape;
pub mod log_format;
pub mod mark;
pub mod metric_name;
pub mod printable;
pub mod stage;
pub mod steps;
pub mod value_log;
pub mod work;
