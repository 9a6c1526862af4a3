//! What lies over a screen: questions, choosers, forms and the palette.

pub mod form;
pub mod overlay;
pub mod own_commands;
pub mod own_row;
pub mod palette;
pub mod sweep_plan;
pub mod theme_chooser;
