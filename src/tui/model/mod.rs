//! Everything the screen shows, as plain values.

pub mod alarm;
pub mod events;
pub mod hardware;
pub mod home_screen;
pub mod keys;
pub mod logs;
pub mod matrix;
pub mod matrix_field;
pub mod monitor;
pub mod node_words;
pub mod overlays;
pub mod playback;
pub mod results;
pub mod screen;
pub mod search;
pub mod shards;
pub mod tab_line;
pub mod time_series;
pub mod troubles;
pub mod views;
pub mod words;
