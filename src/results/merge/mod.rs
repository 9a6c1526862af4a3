//! The files of shards become the file of the serial run.
//!
//! [`merging`] takes the pieces of one combo; what is wrong with one of them is a [`piece::Refusal`] with its name.

pub mod json;
pub mod made;
pub mod mean;
pub mod piece;
pub mod python_float;

pub mod by_rule;
pub mod combos;
pub mod copies;
pub mod document_counts;
pub mod document_lists;
pub mod episode_list;
pub mod episode_numbers;
pub mod key_names;
pub mod merging;
pub mod parts;
pub mod record;
pub mod rows;
pub mod sheet;

pub mod lerobot;
pub mod lerobot_episodes;
pub mod lerobot_part;
pub mod lerobot_summary;
pub mod lerobot_tasks;

#[cfg(test)]
mod json_tests;
#[cfg(test)]
mod tests;
