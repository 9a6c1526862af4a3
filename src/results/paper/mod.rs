//! The tables of a report for papers and programs: each as CSV, LaTeX and Markdown.

pub mod comparisons;
pub mod metrics;
pub mod rates;
pub mod scalings;
pub mod table;
pub mod tables;
