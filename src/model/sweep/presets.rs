//! The names of the log formats, for a sweep to name one.

/// The log formats that can be named in `[progress] preset`; `auto` leaves the choice to the log.
pub const PRESETS: &[&str] = &[
    "auto", "isaac-eval", "isaaclab-arena", "isaaclab-robomimic", "leisaac", "rsl-rl", "rl-games", "sb3",
    "skrl", "cleanrl", "openvla", "lerobot", "lerobot-train", "vla-eval", "robotwin", "robotwin-collect",
    "simpler-env", "calvin", "robomimic", "act", "groot", "groot-open-loop", "rlinf", "openpi", "habitat",
    "habitat-eval", "rl-games-play", "rlbench", "lm-eval", "hf-trainer", "diffusers", "verl",
    "mujoco-playground", "drqv2", "omnigibson", "rllib", "stable-worldmodel", "crowdnav", "detectron2",
    "carla-leaderboard", "dp3", "optuna", "pymarl", "ml-agents", "allenact", "td3", "pfrl", "a2c-ppo-acktr",
    "sem-exp", "sample-factory", "torch-ac", "alfworld", "stylegan", "episode", "counter", "tqdm", "steps",
];

/// The preset that reads bars; the name of the bar that shows the work may follow it: `tqdm:Evaluating`.
pub const BARS: &str = "tqdm";

/// A preset as it is declared, and the name of the bar behind it.
pub fn split_bar(preset: &str) -> (&str, Option<&str>) {
    match preset.split_once(':') {
        Some((BARS, bar)) if !bar.trim().is_empty() => (BARS, Some(bar.trim())),
        Some(_) | None => (preset, None),
    }
}
