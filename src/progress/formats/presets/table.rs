//! All presets, and how a name becomes one.

use std::sync::LazyLock;

use super::episodes::episode;
use super::isaac::{isaac_eval, isaaclab_arena, isaaclab_robomimic, leisaac};
use super::lerobot::{self, lerobot_train};
use super::{
    act, calvin, cleanrl, counter, groot, openvla, rl_games, rlinf, robomimic, robotwin, rsl_rl, sb3,
    simpler_env, steps, tqdm, vla_eval,
};
use crate::progress::format::{MOST_PRESETS, Preset};
use crate::progress::formats::file::FormatFile;
use crate::progress::formats::plain::plain_preset::preset_of;

/// The name that leaves the choice to the log.
pub const AUTO: &str = "auto";

/// A preset that is built in.
enum BuiltIn {
    Code(&'static Preset),
    /// Its name, and the text of its file.
    File(&'static str, &'static str),
}

macro_rules! file {
    ($name:literal) => {
        BuiltIn::File($name, include_str!(concat!("../../../../formats/", $name, ".toml")))
    };
}

/// In the order in which they are asked, the highest rank first: of those with equal rank the first one that recognises
/// a line is taken.
const BUILT_IN: &[BuiltIn] = &[
    BuiltIn::Code(&isaac_eval::PRESET),
    BuiltIn::Code(&isaaclab_arena::PRESET),
    BuiltIn::Code(&isaaclab_robomimic::PRESET),
    BuiltIn::Code(&leisaac::PRESET),
    BuiltIn::Code(&rsl_rl::PRESET),
    BuiltIn::Code(&rl_games::PRESET),
    BuiltIn::Code(&sb3::PRESET),
    file!("skrl"),
    BuiltIn::Code(&cleanrl::PRESET),
    BuiltIn::Code(&openvla::PRESET),
    BuiltIn::Code(&lerobot::PRESET),
    BuiltIn::Code(&lerobot_train::PRESET),
    BuiltIn::Code(&vla_eval::PRESET),
    BuiltIn::Code(&robotwin::PRESET),
    file!("robotwin-collect"),
    BuiltIn::Code(&simpler_env::PRESET),
    BuiltIn::Code(&calvin::PRESET),
    BuiltIn::Code(&robomimic::PRESET),
    BuiltIn::Code(&act::PRESET),
    BuiltIn::Code(&groot::PRESET),
    file!("groot-open-loop"),
    BuiltIn::Code(&rlinf::PRESET),
    file!("openpi"),
    file!("habitat"),
    file!("habitat-eval"),
    file!("rl-games-play"),
    file!("rlbench"),
    file!("lm-eval"),
    file!("hf-trainer"),
    file!("diffusers"),
    file!("verl"),
    file!("mujoco-playground"),
    file!("drqv2"),
    file!("omnigibson"),
    file!("rllib"),
    file!("stable-worldmodel"),
    file!("crowdnav"),
    file!("detectron2"),
    file!("carla-leaderboard"),
    file!("dp3"),
    file!("optuna"),
    file!("pymarl"),
    file!("ml-agents"),
    file!("allenact"),
    file!("td3"),
    file!("pfrl"),
    file!("a2c-ppo-acktr"),
    file!("sem-exp"),
    file!("sample-factory"),
    file!("torch-ac"),
    file!("alfworld"),
    file!("stylegan"),
    BuiltIn::Code(&episode::PRESET),
    BuiltIn::Code(&counter::PRESET),
    BuiltIn::Code(&tqdm::PRESET),
    BuiltIn::Code(&steps::PRESET),
];
const _: () = assert!(BUILT_IN.len() <= MOST_PRESETS, "sets of presets are sets of bits");

/// All presets, in the order of `BUILT_IN`.
pub static ALL: LazyLock<Vec<&'static Preset>> = LazyLock::new(|| {
    let preset = |built_in: &BuiltIn| match built_in {
        BuiltIn::Code(preset) => *preset,
        BuiltIn::File(name, text) => {
            let file = FormatFile::parse(text).expect("a test reads every file of the program");
            preset_of(name, &file.format.lines)
        }
    };
    BUILT_IN.iter().map(preset).collect()
});

/// Lists the formats that are files of the program: name and text.
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    BUILT_IN.iter().filter_map(|built_in| match built_in {
        BuiltIn::Code(_) => None,
        BuiltIn::File(name, text) => Some((*name, *text)),
    })
}

/// Returns the presets that a name means: one, or all for `auto`.
pub fn named(name: &str) -> Option<&'static [&'static Preset]> {
    if name == AUTO {
        return Some(&ALL);
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

    #[test]
    fn the_highest_rank_is_asked_first() {
        assert!(ALL.is_sorted_by_key(|preset| std::cmp::Reverse(preset.rank)));
    }
}
