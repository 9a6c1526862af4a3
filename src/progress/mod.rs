//! What a log says: lines, presets, marks and the verdict on an attempt, all pure.
//!
//! [`text`] cuts bytes into lines, [`search`] finds the few that can matter, [`formats`] and [`patterns`] read what
//! they count ([`counts`]) and [`trouble`] what goes wrong; [`reader`] drives them and keeps a [`reading`]. [`files`]
//! reads what a program wrote next to its log. [`verdict`] judges an attempt by all of it, [`scan`] a log that was not
//! launched here.

pub mod counts;
pub mod files;
pub mod format;
pub mod formats;
pub mod patterns;
pub mod reader;
pub mod reading;
mod reading_end;
pub mod remarks;
pub mod scan;
pub mod search;
#[cfg(test)]
mod tests;
pub mod text;
pub mod trouble;
pub mod verdict;
