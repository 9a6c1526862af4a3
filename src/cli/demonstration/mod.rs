//! A sweep to look at, with a worker that pretends nothing but its work.

pub mod demo;
pub mod demo_args;
pub mod demo_results;
pub mod demo_sweep;
pub mod demo_worker;
