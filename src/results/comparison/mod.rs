//! Runs of one sweep side by side: what each combo came to in each of them, and what has changed.

pub mod change;
pub mod compared;
pub mod designs;
pub mod document;
pub mod machines;
pub mod metrics;
pub mod pace;
pub mod page;
pub mod paired_metrics;
pub mod picture;
pub mod sameness;
pub mod text;

#[cfg(test)]
mod tests;
