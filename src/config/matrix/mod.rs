//! Axes, combos and slices: which shards a sweep has.

pub mod axis_source;
pub mod axis_watch;
pub(super) mod combos;
pub(super) mod episodes;
pub mod only;
pub(super) mod runner;
pub mod slots;
