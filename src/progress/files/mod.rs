//! What result files say: JSON, lines of JSON and tables become metrics, counts and evidence.
//!
//! [`reader`] takes in the files of one attempt and gives a [`reading`]; [`evidence`] holds that against the log. Known
//! formats are recognised by their shape in [`shapes`], because unrelated programs use the same file names.

pub mod repeats;
pub mod rows;
pub mod tolerant_json;
pub mod walk;

pub mod collected;
pub mod counts;
pub mod episode_list;
mod episode_measures;
mod episode_names;
pub mod lerobot;
pub mod lerobot_tasks;
pub mod shapes;
pub mod tally;
pub mod vla_eval;

pub mod compare;
pub mod evidence;
pub mod reader;
pub mod reading;

pub mod progress_file;
#[cfg(test)]
mod tests;
