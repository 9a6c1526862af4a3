//! What many shards come to together: rates, differences, costs, and how a number on an axis scales.

pub mod attempts;
pub mod beta;
pub mod bootstrap;
pub mod clusters;
pub mod contrast;
pub mod cost;
pub mod design;
pub mod difference;
pub mod episode_key;
pub mod group;
pub mod headline;
pub mod holm;
pub mod letters;
pub mod mantel_haenszel;
pub mod missing;
pub mod normal;
pub mod occupancy;
pub mod paired;
pub mod pairing;
pub mod ranking;
pub mod scaling;
pub mod spread;
pub mod student;
pub mod tested_difference;
