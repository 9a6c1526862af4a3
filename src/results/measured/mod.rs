//! The telemetry of a run in sum: folded row by row into few numbers, however long the run was.

pub mod attempts;
pub mod fold;
pub mod gpu_place;
pub mod grid;
pub mod measures;
pub mod node_use;
pub mod occupancy;
pub mod series;
pub mod tally;
