//! What is wrong with a run, collected once for a frame: what stops it, its worst shard, and what else there is.

use crate::model::state::phase::PhaseKind;
use crate::tui::model::alarm::{self, Alarm, Others, Stuck};
use crate::tui::model::hardware::gpu_remarks::GpuRemark;
use crate::tui::model::screen::Model;
use crate::tui::model::troubles::{collect_troubles, of_run};
use crate::tui::theme::role::Role;

/// Everything that is wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnosis {
    /// The shards that are stuck, in the order of the sweep.
    pub stuck: Vec<Stuck>,
    /// Troubles that stop the whole run: graver than any shard.
    pub of_run: Vec<GpuRemark>,
    /// The shard that needs its user most.
    pub worst: Option<Alarm>,
    /// The other shards that need them.
    pub others: Vec<Others>,
    /// The other troubles, the gravest first.
    pub lesser: Vec<GpuRemark>,
}

impl Diagnosis {
    /// Collects all that is wrong with a run.
    pub fn from_model(model: &Model) -> Self {
        let stuck: Vec<Stuck> = model
            .readings()
            .enumerate()
            .filter_map(|(position, reading)| Some(Stuck { position, silence: reading.stuck_for()? }))
            .collect();
        let worst = alarm::worst_alarm(model, &stuck);
        let mut others =
            worst.as_ref().map_or_else(Vec::new, |worst| alarm::collect_others(model, &stuck, worst));
        let (of_run, mut lesser): (Vec<GpuRemark>, Vec<GpuRemark>) =
            of_run(model).into_iter().partition(|trouble| trouble.role == Role::Failed);
        match (&worst, alarm::all_paused(model)) {
            (Some(_), paused) => others.extend(paused),
            (None, paused) => lesser.extend(paused.map(|all| GpuRemark { role: all.role, text: all.full })),
        }
        lesser.extend(collect_troubles(model));
        let gravity = [Role::Failed, Role::Warning, Role::Dim];
        lesser.sort_by_key(|trouble| gravity.iter().position(|role| *role == trouble.role));
        Self { stuck, of_run, worst, others, lesser }
    }

    /// Nothing asks for anything.
    pub fn is_well(&self) -> bool {
        let is_quiet = |trouble: &GpuRemark| trouble.role == Role::Dim;
        self.worst.is_none() && self.of_run.is_empty() && self.lesser.iter().all(is_quiet)
    }

    /// The gravest thing, where there is room for one only.
    pub fn gravest_remark(&self) -> Option<GpuRemark> {
        let worst =
            || self.worst.as_ref().map(|worst| GpuRemark { role: worst.role, text: worst.text.clone() });
        let other = || self.lesser.iter().find(|trouble| trouble.role != Role::Dim).cloned();
        self.of_run.first().cloned().or_else(worst).or_else(other)
    }

    /// Returns the shards that make no progress, stuck or paused: the run's end is forecast as if they went on now.
    pub fn still_ones(&self, model: &Model) -> Vec<usize> {
        let is_still = |position: &usize| {
            self.stuck.iter().any(|stuck| stuck.position == *position)
                || model.state.shards[*position].phase.kind() == PhaseKind::Paused
        };
        (0..model.state.shards.len()).filter(is_still).collect()
    }
}
