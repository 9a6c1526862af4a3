//! The state of this machine and session apart from any sweep: what `doctor` collects and how it is judged.
//!
//! [`gather::gather_facts`] reads, [`judge::judge_machine`] decides.

pub mod check;
pub mod facts;
pub mod gather;
pub mod judge;

mod folder_trial;
mod judge_gpus;
mod judge_limits;
mod judge_places;
mod judge_session;
