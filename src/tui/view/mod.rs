//! Drawing: each file draws one part of the screen from the model and the theme, and changes nothing.

pub mod chart;
pub mod charts;
pub mod events;
pub mod footer;
pub mod frame;
pub mod hardware;
pub mod header;
pub mod home_screen;
pub mod log;
pub mod matrix;
mod matrix_cell;
pub mod monitor;
pub mod overlays;
mod panels;
pub mod panes;
pub mod plot;
pub mod results;
pub mod shards;
pub mod small;
pub mod totals;
