//! Drawing: each file draws one part of the screen from the model and the theme, and changes nothing.

pub mod bar;
pub mod chart;
pub mod charts;
pub mod columns;
pub mod details;
pub mod events;
pub mod footer;
pub mod frame;
pub mod gpu_card;
pub mod gpu_detail;
pub mod gpus;
pub mod header;
pub mod help;
pub mod host;
pub mod log;
pub mod machine;
pub mod matrix;
pub mod overlay;
pub mod pane;
mod panels;
pub mod plot;
pub mod question;
pub mod results;
pub mod small;
pub mod table;
pub mod tabs;
pub mod text;
