//! Where news come from: the files of the run, read just before a frame is drawn.

pub mod background_loader;
pub mod cleaner;
pub mod colours;
pub mod load;
pub mod log_find;
pub mod log_pieces;
pub mod log_reader;
mod machine_tapes;
pub mod node_readers;
mod outputs;
pub mod own_commands;
pub mod past_log;
pub mod periodic_reader;
pub mod player;
pub mod run_reader;
pub mod tape;
mod telemetry_reader;
