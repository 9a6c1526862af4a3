//! What many shards come to together: rates, differences, costs, and how a number on an axis scales.

pub mod any_time;
pub mod clusters;
pub mod contrast;
pub mod cost;
pub mod design;
pub mod difference;
pub mod distributions;
pub mod group;
pub mod headline;
pub mod holm;
pub mod improvement;
pub mod letters;
pub mod mantel_haenszel;
pub mod metric_interval;
pub mod middle;
pub mod missing;
pub mod paired;
pub mod posterior;
pub mod power;
pub mod ranking;
pub mod scaling;
pub mod sequential;
pub mod spread;
pub mod superiority;
pub mod tested_difference;
pub mod totals;
