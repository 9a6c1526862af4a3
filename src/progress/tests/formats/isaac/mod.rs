//! Tests of the formats around Isaac Sim and Isaac Lab.

mod isaac_eval;
mod isaaclab_arena;
mod isaaclab_robomimic;
mod leisaac;
