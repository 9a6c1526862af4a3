//! The files of shards become the file of the serial run.
//!
//! [`merging`] takes the pieces of one combo; what is wrong with one of them is a [`piece::PieceRefusal`] with its
//! name.

pub mod by_rule;
pub mod combos;
pub mod copies;
pub mod document_counts;
pub mod document_lists;
pub mod episode_list;
pub mod episode_numbers;
pub mod json;
pub mod key_names;
pub mod lerobot;
pub mod made;
pub mod mean;
pub mod merging;
pub mod parts;
pub mod piece;
pub mod python_float;
pub mod record;
pub mod rows;
pub mod sheet;

#[cfg(test)]
mod json_tests;

#[cfg(test)]
mod tests;
