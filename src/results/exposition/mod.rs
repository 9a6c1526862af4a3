//! The numbers of runs and of their machine in the text format that Prometheus scrapes.

pub mod definitions;
pub mod exposition_text;
pub mod machine_series;
pub mod run_series;
