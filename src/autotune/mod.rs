//! What a sweep takes on this machine, measured on short real trials, and what to write into it: `sweepdeck autotune`.
//!
//! [`conduct`] has trials run through the trait [`bench::Bench`], which `cli` supplies with real runs; [`trial_progress`] reads
//! them, [`scaling`] decides what to try next, and [`advice`] what follows. All but `conduct` and the look of
//! [`machine`] is pure.

pub mod advice;
pub mod auto;
pub mod batch;
pub mod bench;
pub mod combos;
pub mod conduct;
pub mod facts;
pub mod machine;
pub mod measured;
pub mod mujoco;
pub mod rate;
pub mod room;
pub mod scaling;
pub mod setting;
pub mod sizes;
pub mod sweep_edit;
pub mod text;
pub mod trial;
pub mod trial_progress;
pub mod work_rates;

#[cfg(test)]
mod agreement_tests;
