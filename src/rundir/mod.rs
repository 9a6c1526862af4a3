//! Every path and every file format of a run directory, and nowhere else.

pub mod announcements;
pub mod beat;
pub mod beneath;
pub mod claims;
pub mod clock;
pub mod create;
pub mod csv_file;
pub mod discover;
pub mod environment;
pub mod error;
pub mod experience;
pub mod journal;
pub mod layout;
pub mod life;
pub mod lines;
pub mod lock;
pub mod marks;
pub mod plans;
pub mod proven_state;
pub mod records;
pub mod refusal;
pub mod residence;
mod resolve;
pub mod telemetry;
pub mod trust;
pub mod tunings;
