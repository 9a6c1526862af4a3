//! What a log says: lines, presets, marks and the verdict on an attempt, all pure.
//!
//! Bytes become lines in [`lines`]; [`rules`] holds every pattern of a run, compiled once; [`reader`] joins both and
//! keeps a [`reading`]; [`verdict`] judges an attempt by it, [`scan`] shows it for a log nobody launched.

pub mod encoding;
pub mod error;
pub mod figure;
pub mod find;
pub mod line_prefix;
pub mod lines;
pub mod number;
pub mod open_bar;
pub mod outlived;
pub mod progress_file;
pub mod python_literal;
pub mod rate;
pub mod reading;

pub mod alerts;
pub mod built_in;
pub mod memory_holders;
pub mod metrics;
pub mod own;
pub mod own_use;
pub mod own_values;
pub mod prompt;
pub mod spellings;
pub mod stages;
pub mod traceback;
pub mod trainer_bar;
pub mod trouble_parts;
pub mod uncaught;

pub mod bar;
pub mod bar_pace;
pub mod bar_tail;
pub mod outer_count;
pub mod preparation;

pub mod bar_values;
pub mod bars_beside;
pub mod chooser;
pub mod count_level;
pub mod count_levels;
pub mod count_words;
pub mod episode_tally;
pub mod episode_values;
pub mod format;
pub mod mean;
pub mod metric_values;
pub mod plain;
pub mod presets;
pub mod printed_rate;
pub mod spoken_count;
pub mod spoken_remark;
pub mod spoken_result;
pub mod spoken_told;

pub mod gram_search;
pub mod kept_line;
pub mod literals;
pub mod mark_digest;
pub mod needles;

pub mod earlier;
pub mod reader;
mod reader_earlier;
mod reader_own;
mod reader_rates;
mod reader_runs;
pub mod recorded_ends;
pub mod recorded_trouble;
pub mod recorder;
pub mod renderer;
pub mod rules;
pub mod run_starts;

pub mod files;

pub mod log_warnings;
pub mod scan;
pub mod scan_text;
pub mod suggest;
pub mod unseen_exit;
pub mod verdict;
pub mod watched;

#[cfg(test)]
mod tests;
