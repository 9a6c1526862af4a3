//! What many shards come to together: rates, differences, costs, and how a number on an axis scales.

pub mod attempts;
pub mod contrast;
pub mod cost;
pub mod difference;
pub mod group;
pub mod holm;
pub mod letters;
pub mod mantel_haenszel;
pub mod missing;
pub mod normal;
pub mod occupancy;
pub mod ranking;
pub mod scaling;
pub mod spread;
pub mod tested_difference;
