//! Tests of the formats, one file each.

mod act;
mod calvin;
mod cleanrl;
mod counter;
mod episode;
mod files;
mod groot;
mod isaac;
mod lerobot;
mod lerobot_train;
mod openvla;
mod optuna;
mod plain_lines;
mod processes;
mod rl_games;
mod rlinf;
mod robomimic;
mod robotwin;
mod rsl_rl;
mod sb3;
mod simpler_env;
mod skrl;
mod steps;
mod vla_eval;
