//! The formats that are built in, and how the one of a log is found.

pub mod before_the_end;
pub mod behind_the_end;
pub mod chooser;
pub mod closing_doubts;
mod closing_frame;
pub mod closing_launcher;
pub mod closing_line;
mod closing_repeats;
mod closing_results;
mod closing_sequel;
mod closing_share;
pub mod closing_tally;
pub mod closing_words;
mod east_asian_ends;
mod exit_codes;
pub mod file;
pub mod line_words;
pub mod needle_searches;
pub mod needles;
pub mod part_behind_end;
pub mod plain;
pub mod presets;
pub mod stages;
mod time_behind;
