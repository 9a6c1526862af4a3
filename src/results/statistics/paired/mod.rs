//! Two sides that were evaluated on the same episodes.

pub mod episode_key;
pub mod paired_metric;
pub mod paired_rate;
pub mod pairing;
