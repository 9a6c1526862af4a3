//! Every path and every file format of a run directory, and nowhere else.

pub mod beat;
pub mod beneath;
pub mod clock;
pub mod create;
pub mod csv_file;
pub mod durable;
pub mod environment;
pub mod error;
pub mod journal;
pub mod layout;
pub mod life;
pub mod lines;
pub mod lock;
pub mod machine_wide;
pub mod marks;
pub mod nodes;
pub mod plans;
pub mod proven_state;
pub mod records;
pub mod refusal;
pub mod residence;
mod resolve;
pub mod salvage;
mod seal;
pub mod telemetry;
pub mod troubles;
pub mod trust;
