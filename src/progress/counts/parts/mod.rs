//! Parts that the work comes in, such as folds and seeds: what is counted below the heading of one is all of that part,
//! and not of the work.

pub mod announced;
pub mod heading;
pub mod part_loop;
pub mod part_loops;
