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

/// Appends the piece with this number, counted from 0, to a log.
pub type Piece = fn(&mut String, u64);

/// How the programs of each preset write, by the preset's name, and a log that no preset reads.
pub const LOGS: &[(&str, Piece)] = &[
    ("isaac-eval", isaac_eval::piece),
    ("isaaclab-arena", isaaclab_arena::piece),
    ("isaaclab-robomimic", isaaclab_robomimic::piece),
    ("leisaac", leisaac::piece),
    ("rsl-rl", rsl_rl::piece),
    ("rl-games", rl_games::piece),
    ("sb3", sb3::piece),
    ("skrl", skrl::piece),
    ("cleanrl", cleanrl::piece),
    ("openvla", openvla::piece),
    ("lerobot", lerobot::piece),
    ("lerobot-train", lerobot_train::piece),
    ("vla-eval", vla_eval::piece),
    ("robotwin", robotwin::piece),
    ("simpler-env", simpler_env::piece),
    ("calvin", calvin::piece),
    ("robomimic", robomimic::piece),
    ("act", act::piece),
    ("groot", groot::piece),
    ("groot-open-loop", plain_lines::groot_open_loop),
    ("rlinf", rlinf::piece),
    ("openpi", plain_lines::openpi),
    ("habitat", plain_lines::habitat),
    ("habitat-eval", plain_lines::habitat_eval),
    ("rl-games-play", plain_lines::rl_games_play),
    ("robotwin-collect", plain_lines::robotwin_collect),
    ("rlbench", plain_lines::rlbench),
    ("lm-eval", plain_lines::lm_eval),
    ("hf-trainer", plain_lines::hf_trainer),
    ("diffusers", plain_lines::diffusers),
    ("verl", plain_lines::verl),
    ("mujoco-playground", plain_lines::playground),
    ("drqv2", plain_lines::drqv2),
    ("omnigibson", plain_lines::omnigibson),
    ("rllib", plain_lines::rllib),
    ("stable-worldmodel", plain_lines::stable_worldmodel),
    ("crowdnav", plain_lines::crowdnav),
    ("detectron2", plain_lines::detectron2),
    ("carla-leaderboard", plain_lines::carla_leaderboard),
    ("dp3", plain_lines::dp3),
    ("optuna", plain_lines::optuna),
    ("pymarl", plain_lines::pymarl),
    ("ml-agents", plain_lines::ml_agents),
    ("allenact", plain_lines::allenact),
    ("td3", plain_lines::td3),
    ("pfrl", plain_lines::pfrl),
    ("a2c-ppo-acktr", plain_lines::a2c_ppo_acktr),
    ("sem-exp", plain_lines::sem_exp),
    ("sample-factory", plain_lines::sample_factory),
    ("torch-ac", plain_lines::torch_ac),
    ("alfworld", plain_lines::alfworld),
    ("stylegan", plain_lines::stylegan),
    ("episode", episode::piece),
    ("counter", counter::piece),
    ("tqdm", tqdm::piece),
    ("steps", plain_lines::steps),
    (PLAIN, plain::piece),
];

/// Name of the log that no preset reads.
pub const PLAIN: &str = "plain";
