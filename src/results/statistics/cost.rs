//! What a shard cost: time, GPU-hours and energy over all of its attempts, those that failed included.

use std::collections::BTreeMap;
use std::iter::Sum;
use std::ops::Add;

use serde_json::{Value, json};

use crate::model::outcome::Energy;
use crate::model::state::shard_state::ShardState;
use crate::results::measured::attempts::{Attempt, AttemptStatus};
use crate::results::measured::gpu_place::GpuPlace;
use crate::results::measured::measures::AttemptMeasures;
use crate::results::measured::occupancy::Occupancy;

/// The cost of one or several shards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// The lengths of all attempts added up.
    pub seconds: f64,
    /// Hours of GPUs; an hour of one that several share counts once. Unknown where the run was given no GPU.
    pub gpu_hours: Option<f64>,
    /// Energy drawn by GPUs, in J; `None` if it was not counted for one of the attempts.
    pub energy_j: Option<f64>,
    /// Others were on the GPUs of one of the attempts, or may have been: of that one it is an equal part of what they
    /// drew.
    pub energy_shared: bool,
}

impl Cost {
    /// The cost of nothing, on a machine where all can be known.
    const NOTHING: Self =
        Self { seconds: 0.0, gpu_hours: Some(0.0), energy_j: Some(0.0), energy_shared: false };

    /// As parts of `summary.json`.
    pub fn to_json(self) -> Value {
        json!({"attempt_seconds": self.seconds, "gpu_hours": self.gpu_hours, "energy_j": self.energy_j})
    }
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            seconds: self.seconds + other.seconds,
            gpu_hours: self.gpu_hours.zip(other.gpu_hours).map(|(a, b)| a + b),
            energy_j: self.energy_j.zip(other.energy_j).map(|(a, b)| a + b),
            energy_shared: self.energy_shared || other.energy_shared,
        }
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::NOTHING, Self::add)
    }
}

/// The cost of each of that many shards.
pub fn shard_costs(
    shards: usize,
    attempts: &[Attempt<'_>],
    measures: &[AttemptMeasures],
    on_gpus: &BTreeMap<GpuPlace, Occupancy>,
) -> Vec<Cost> {
    let hours = attempt_gpu_hours(attempts.len(), on_gpus);
    let has_gpus = !on_gpus.is_empty();
    let mut costs = vec![Cost { gpu_hours: has_gpus.then_some(0.0), ..Cost::NOTHING }; shards];
    for ((attempt, measures), hours) in attempts.iter().zip(measures).zip(hours) {
        let energy = match attempt.standing {
            _ if !attempt.ran => Some(Energy::default()),
            AttemptStatus::Ended(outcome) => outcome.peaks.energy,
            // The rows of one that runs do not show in sum whether it was alone.
            AttemptStatus::Open(_) => measures.energy_j.map(|joules| Energy { joules, shared: true }),
        };
        let cost = Cost {
            seconds: attempt.seconds(),
            gpu_hours: has_gpus.then_some(hours),
            energy_j: energy.map(|energy| energy.joules),
            energy_shared: energy.is_some_and(|energy| energy.shared),
        };
        costs[attempt.shard] = costs[attempt.shard] + cost;
    }
    costs
}

/// Energy of all attempts of a shard; `newest` is that of the one that runs, where one does. Unknown where it was not
/// counted for one of them.
pub fn energy_of_all(shard: &ShardState, newest: Option<Energy>) -> Option<Energy> {
    let ended = shard.history.iter().chain(shard.phase.ended()).filter(|ended| ended.started.is_some());
    let has_run = shard.phase.live().is_some() || ended.clone().next().is_some();
    let newest = shard.phase.live().map(|_| newest);
    let all = ended.map(|ended| ended.outcome.peaks.energy).chain(newest);
    let sum = |sum: Energy, one: Energy| Energy {
        joules: sum.joules + one.joules,
        shared: sum.shared || one.shared,
    };
    let all: Option<Vec<Energy>> = all.collect();
    all.filter(|_| has_run).map(|all| all.into_iter().fold(Energy::default(), sum))
}

/// GPU-hours of each attempt: in each moment those on one GPU share it.
pub fn attempt_gpu_hours(attempts: usize, on_gpus: &BTreeMap<GpuPlace, Occupancy>) -> Vec<f64> {
    let mut hours = vec![0.0; attempts];
    for stretch in on_gpus.values().flat_map(Occupancy::busy_stretches) {
        for position in stretch.who {
            hours[*position] += stretch.seconds() / 3600.0 / stretch.who.len() as f64;
        }
    }
    hours
}
