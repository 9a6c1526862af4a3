//! The reader of one log as it grows: rules, recorder, runs, and what an attempt continues.

mod alert_mark;
pub mod announced_total;
mod announced_words;
mod continued_log;
pub mod earlier_counts;
mod line_memory;
pub mod log_reader;
pub mod mark_digest;
mod next_part;
mod outcomes;
mod own_patterns;
mod printed_rates;
pub mod recorded_ends;
pub mod recorded_trouble;
pub mod recorder;
pub mod rules;
pub mod run_starts;
mod several_runs;
mod start_behind_end;
mod summed_ends;
