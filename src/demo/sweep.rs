//! The sweep that `sweepdeck demo` runs, embedded in the program.

/// The text of `configs/demo.toml`. Its command is `sweepdeck`, to be found on the `PATH`.
pub const SWEEP: &str = include_str!("../../configs/demo.toml");
