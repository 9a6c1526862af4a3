//! The log formats known by name: those in code, one file each; `table` lists them and the files of `formats/`.

pub mod act;
pub mod calvin;
pub mod cleanrl;
pub mod counter;
pub mod episodes;
pub mod groot;
pub mod isaac;
pub mod lerobot;
mod nested_bars;
pub mod openvla;
pub mod openvla_words;
pub mod rl_games;
pub mod rlinf;
pub mod robomimic;
pub mod robotwin;
pub mod rsl_rl;
pub mod sb3;
pub mod simpler_env;
pub mod steps;
pub mod table;
pub mod tqdm;
pub mod vla_eval;
