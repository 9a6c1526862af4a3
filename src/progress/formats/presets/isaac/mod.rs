//! Formats of evaluations in Isaac Sim and Isaac Lab.

pub mod isaac_eval;
pub mod isaaclab_arena;
pub mod isaaclab_robomimic;
pub mod leisaac;
