//! What makes results doubtful: copies, programs that ignore their seed, and faults of the run.

pub mod repeated_ends;
pub mod repeats;
pub mod run_troubles;
pub mod seeds;
