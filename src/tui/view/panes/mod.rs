//! What screens are made of: frames, bars, tabs and texts that fit.

pub mod ascii;
pub mod bar;
pub mod pane;
pub(super) mod panel;
pub mod tabs;
pub mod text;
