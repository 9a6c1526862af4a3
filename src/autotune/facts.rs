//! Everything that advice rests on.

use std::borrow::Cow;

use super::batch::BatchTrials;
use super::machine::MachineResources;
use super::measured::TrialResult;
use crate::model::needs::resources::Resources;
use crate::model::sweep::plan::Plan;

/// Everything that advice rests on.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// Plan of the sweep that is tuned.
    pub plan: &'a Plan,
    /// The position of the shard that was tried.
    pub shard: usize,
    /// The machine before the trials.
    pub machine: &'a MachineResources,
    /// The trials, fewest side by side first.
    pub trials: &'a [TrialResult],
    /// Trials of the sweep's batch sizes.
    pub batches: Option<&'a BatchTrials>,
    /// Why no more were tried side by side; `None` if that was not asked for.
    pub stopped: Option<&'a str>,
    /// `MUJOCO_GL` as the trials saw it.
    pub mujoco_gl: Option<&'a str>,
}

impl Facts<'_> {
    /// Returns the resources that the sweep gives to the shard that was tried.
    pub fn shard_resources(&self) -> Cow<'_, Resources> {
        let shard = self.plan.shards.get(self.shard);
        shard.map_or(Cow::Borrowed(&self.plan.resources), |shard| self.plan.resources_of(shard))
    }
}
