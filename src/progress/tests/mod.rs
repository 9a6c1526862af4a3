//! Whole logs in, readings and verdicts out.

mod any_cut;
mod bars;
mod beside_a_file;
mod ends_of_logs;
mod false_successes;
pub mod formats;
mod free_words;
mod habits;
mod judged_by_files;
mod own_patterns;
mod packs_judged;
mod parts;
mod rates_of_episodes;
mod reading_bars;
mod reading_logs;
mod runs;
mod simulators;
mod stages;
mod steps_of_epochs;
mod tagged_counts;
mod told_to_end;
mod tracebacks;
mod trouble;
mod verdicts;
mod verdicts_on_endings;
