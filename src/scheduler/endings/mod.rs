//! What follows from the end of an attempt.

pub mod answers;
pub mod attempts;
pub mod foreign;
pub mod gpu_lost;
pub mod host_oom;
pub mod ladder;
pub mod ladder_answer;
pub mod oom;
pub mod pack_split;
pub mod repeats;
pub mod retry;
pub mod sole_tenant;
