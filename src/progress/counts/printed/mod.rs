//! Shares and rates that programs print in their own words, whatever counts their work.

pub mod accuracy;
pub mod rate;
pub mod share;
pub mod success_share;
pub mod time_since;
