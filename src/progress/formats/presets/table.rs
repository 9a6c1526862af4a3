//! All presets, and how a name becomes one.

use super::episodes::episode;
use super::isaac::{isaac_eval, isaaclab_arena, isaaclab_robomimic, leisaac};
use super::lerobot::{self, lerobot_train};
use super::{
    act, calvin, cleanrl, counter, groot, openvla, plain_lines, rl_games, rlinf, robomimic, robotwin, rsl_rl,
    sb3, simpler_env, skrl, steps, tqdm, vla_eval,
};
use crate::progress::format::Preset;

/// The name that leaves the choice to the log.
pub const AUTO: &str = "auto";

/// All presets; with equal rank the first one that recognises a line is taken.
pub const ALL: &[&Preset] = &[
    &isaac_eval::PRESET,
    &isaaclab_arena::PRESET,
    &isaaclab_robomimic::PRESET,
    &leisaac::PRESET,
    &rsl_rl::PRESET,
    &rl_games::PRESET,
    &sb3::PRESET,
    &skrl::PRESET,
    &cleanrl::PRESET,
    &openvla::PRESET,
    &lerobot::PRESET,
    &lerobot_train::PRESET,
    &vla_eval::PRESET,
    &robotwin::PRESET,
    &simpler_env::PRESET,
    &calvin::PRESET,
    &robomimic::PRESET,
    &act::PRESET,
    &groot::PRESET,
    &rlinf::PRESET,
    &plain_lines::OPENPI,
    &plain_lines::HABITAT,
    &plain_lines::RL_GAMES_PLAY,
    &plain_lines::RLBENCH,
    &plain_lines::LM_EVAL,
    &plain_lines::HF_TRAINER,
    &plain_lines::VERL,
    &plain_lines::PLAYGROUND,
    &plain_lines::DRQV2,
    &plain_lines::OMNIGIBSON,
    &plain_lines::RLLIB,
    &episode::PRESET,
    &counter::PRESET,
    &tqdm::PRESET,
    &steps::PRESET,
];

/// Returns the presets that a name means: one, or all for `auto`.
pub fn named(name: &str) -> Option<&'static [&'static Preset]> {
    if name == AUTO {
        return Some(ALL);
    }
    let position = ALL.iter().position(|preset| preset.name == name)?;
    Some(&ALL[position..=position])
}

/// Returns the preset of this name.
pub fn find(name: &str) -> Option<&'static Preset> {
    ALL.iter().copied().find(|preset| preset.name == name)
}

/// Returns what the progress of a preset counts, in the plural.
pub fn unit(name: &str) -> Option<&'static str> {
    find(name).map(|preset| preset.unit)
}

/// Every name that can be written, `auto` first.
pub fn names() -> impl Iterator<Item = &'static str> {
    std::iter::once(AUTO).chain(ALL.iter().map(|preset| preset.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sweep::presets::PRESETS;

    #[test]
    fn a_sweep_may_name_exactly_the_presets_there_are() {
        assert_eq!(names().collect::<Vec<_>>(), PRESETS);
    }
}
