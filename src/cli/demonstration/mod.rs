//! A sweep to look at, with a worker that does its work for show.

pub mod demo;
pub mod demo_args;
pub mod demo_results;
pub mod demo_worker;
