//! Whole logs in, readings and verdicts out.

mod any_cut;
mod bars;
mod beside_a_file;
mod isaac_eval;
mod isaaclab_arena;
mod judged_by_files;
mod lerobot;
mod lerobot_train;
mod openvla;
mod own_patterns;
mod packs_judged;
mod reading_bars;
mod reading_logs;
mod rl_games;
mod rlinf;
mod robotwin;
mod rsl_rl;
mod sb3;
mod simulators;
mod skrl;
mod stages;
mod trouble;
mod verdicts;
mod vla_eval;
