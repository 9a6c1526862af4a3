//! How many fit and which size is the fastest: `autotune`.

pub mod autotune;
pub mod autotune_args;
pub mod trial_runs;
