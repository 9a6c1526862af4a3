//! The log formats known by name, one file each; `table` lists them.

pub mod act;
pub mod calvin;
pub mod cleanrl;
pub mod counter;
pub mod episodes;
pub mod groot;
pub mod isaac;
pub mod lerobot;
pub mod openvla;
pub mod openvla_words;
pub mod plain_lines;
pub mod rl_games;
pub mod rlinf;
pub mod robomimic;
pub mod robotwin;
pub mod rsl_rl;
pub mod sb3;
pub mod simpler_env;
pub mod skrl;
pub mod steps;
pub mod table;
pub mod tqdm;
pub mod vla_eval;
