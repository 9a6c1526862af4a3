//! Formats that are data: which text comes before what number.

pub mod format_needles;
pub mod line_kinds;
pub mod line_texts;
pub mod plain_format;
pub mod plain_preset;
pub mod plain_reader;
pub mod sighting;
