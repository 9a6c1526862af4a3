//! The types that all parts share: values without files, processes or clocks.

pub mod actor;
pub mod analysis;
pub mod attempt;
pub mod cancel_cause;
pub mod claims;
pub mod command;
pub mod decided;
pub mod hours;
pub mod ids;
pub mod key_path;
pub mod learned;
pub mod logs;
pub mod machine;
pub mod needs;
pub mod notify;
pub mod outcome;
pub mod pack;
pub mod priority;
pub mod process_identity;
pub mod results;
pub mod run_clock;
pub mod shortage;
pub mod state;
pub mod sweep;
pub mod units;
pub mod value;
