//! The text of logs: encodings, lines, prefixes, numbers, and the values written in them.

pub mod encoding;
pub mod figure;
pub mod find;
pub mod kept_line;
pub mod languages;
pub mod last_error;
pub mod last_words;
pub mod line_level;
pub mod line_prefix;
pub mod line_shapes;
pub mod lines;
pub mod log_tail;
pub mod number;
pub mod places;
pub mod python_literal;
pub mod records;
pub mod speaker;
pub mod word;
