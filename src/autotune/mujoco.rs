//! `MUJOCO_GL`: on the GPU where memory is left for a context of each shard, otherwise on the CPU.

use super::facts::Facts;
use super::room::Footprint;
use super::setting::{AdvisedSetting, SettingValue};
use crate::model::sweep::plan::Plan;
use crate::model::units::Bytes;

/// Room for the context in which a shard renders, where the trial did not render on the GPU. Assumed, not measured.
const CONTEXT: Bytes = Bytes(512 << 20);

/// Programs and packages that render with MuJoCo; the variable means nothing to others.
const WORDS: &[&str] =
    &["mujoco", "robosuite", "libero", "dm_control", "lerobot", "metaworld", "aloha", "robocasa"];

/// Advises, where the sweep gives away that it renders with MuJoCo.
pub(super) fn advise_renderer(facts: &Facts<'_>, shard: &Footprint, parallel: u32) -> Option<AdvisedSetting> {
    if !names_mujoco(facts.plan) {
        return None;
    }
    let set = |word: &str, because: String| {
        let value = SettingValue::Text(word.to_owned());
        Some(AdvisedSetting::new(&["shard", "env", "MUJOCO_GL"], value, because))
    };
    let Some(no_gpu) = &facts.machine.no_gpu else { return with_gpus(facts, shard, parallel, set) };
    set("osmesa", format!("there is no GPU to render on: {no_gpu}"))
}

fn with_gpus(
    facts: &Facts<'_>,
    shard: &Footprint,
    parallel: u32,
    set: impl Fn(&str, String) -> Option<AdvisedSetting>,
) -> Option<AdvisedSetting> {
    let gpus = facts.machine.gpus.len() as u64;
    let free: Option<u64> = facts.machine.gpus.iter().map(|gpu| Some(gpu.memory?.free.0)).sum();
    let claims = shard.vram?.0.saturating_mul(parallel.into()).saturating_mul(shard.gpus as u64);
    let reserved = facts.plan.schedule.reserve_vram.0.saturating_mul(gpus);
    let left = free?.saturating_sub(reserved).saturating_sub(claims);
    if facts.mujoco_gl == Some("egl") {
        return set("egl", format!("the trial rendered with it, and {parallel} shards have room so"));
    }
    let needed = CONTEXT.0.saturating_mul(parallel.into());
    let word = if left >= needed { "egl" } else { "osmesa" };
    let because = format!(
        "{} of VRAM left beside {parallel} shards; {CONTEXT} assumed for the context of each",
        Bytes(left)
    );
    set(word, because)
}

fn names_mujoco(plan: &Plan) -> bool {
    let template = &plan.template;
    let command = template.command.texts();
    let names = template.env.keys().chain(template.env.values());
    command.iter().chain(&template.setup).chain(names).any(|text| {
        let text = text.to_lowercase();
        WORDS.iter().any(|word| text.contains(word))
    })
}
