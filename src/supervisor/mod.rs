//! The background scheduler of one run: hears, decides, records, acts.
//!
//! `keeper` waits for the supervisor and starts it again; `run` is its loop; everything else is a deed or a
//! source of events, one file each.

pub mod error;
pub mod hook_caller;
pub mod keeper;

pub mod results_files;
pub mod results_of_attempt;
pub mod start;

mod additions;
mod artifact_files;
mod astray;
mod axis_watch;
mod container_clients;
mod container_roots;
mod control;
mod deeds;
mod earlier_results;
mod edits;
mod ended_attempt;
mod ending;
mod engine;
mod finish;
mod foreign_work;
pub mod foresight;
mod gpu_choice;
mod gpu_faults;
mod growing;
mod heard;
mod holders;
mod hook_output;
mod hook_queue;
mod hooks;
mod judgement;
mod last_sign;
mod launch;
mod load;
mod log;
mod log_of_attempt;
mod machine;
mod measuring;
mod merge_files;
mod neighbour_claims;
mod own_needs;
mod pack_files;
mod progress_file;
mod promises;
mod reading;
mod ready;
mod record;
mod repeat_files;
mod roots;
mod run;
mod services;
mod system_look;
mod teaching;
mod telemetry;
mod tracked;
mod turns;
mod unanswered;
mod vram_rise;
mod waiting;
mod wall_clock;
mod write_troubles;
