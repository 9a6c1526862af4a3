//! Moments and hours of the wall clock.

pub mod opening_hours;
pub mod start_hours;
pub mod start_time;
pub mod wall_time;
