//! Logs as programs print them, made up: a function for each format that is data in `plain_lines`, else a file for each preset.

pub mod act;
pub mod calvin;
pub mod cleanrl;
pub mod counter;
pub mod episode;
pub mod groot;
pub mod isaac_eval;
pub mod isaaclab_arena;
pub mod isaaclab_robomimic;
pub mod leisaac;
pub mod lerobot;
pub mod lerobot_train;
pub mod openvla;
pub mod plain;
pub mod plain_lines;
pub mod rl_games;
pub mod rlinf;
pub mod robomimic;
pub mod robotwin;
pub mod rsl_rl;
pub mod sb3;
pub mod simpler_env;
pub mod skrl;
pub mod tqdm;
pub mod vla_eval;
