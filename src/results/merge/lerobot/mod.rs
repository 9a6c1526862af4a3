//! `eval_info.json` of LeRobot.

pub mod episodes;
pub mod eval_info;
pub mod part;
pub mod summary;
pub mod tasks;
