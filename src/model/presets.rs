//! The names of the log formats, for a sweep to name one.

/// The log formats that can be named in `[progress] preset`; `auto` leaves the choice to the log.
pub const PRESETS: &[&str] = &[
    "auto",
    "isaac-eval",
    "isaaclab-arena",
    "isaaclab-robomimic",
    "leisaac",
    "rsl-rl",
    "rl-games",
    "sb3",
    "skrl",
    "cleanrl",
    "openvla",
    "lerobot",
    "lerobot-train",
    "vla-eval",
    "robotwin",
    "simpler-env",
    "calvin",
    "robomimic",
    "act",
    "groot",
    "rlinf",
    "episode",
    "counter",
    "tqdm",
];
