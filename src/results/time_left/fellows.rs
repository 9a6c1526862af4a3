//! How long shards take, by what others of the same run took: those of the same combo, else those that share values.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::remaining::{self, Remaining};
use super::shard_left::Expected;
use crate::model::outcome::Outcome;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunState;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::plan::{Plan, ShardSpec};

/// A mean is taken as if so many shards more had shown the mean of all.
const DOUBT: f64 = 1.0;

/// The likeness of shards, as numbers, because it is looked up with every fact.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kinship {
    /// The combo of each shard.
    combos: Vec<usize>,
    /// For each shard its value on each axis.
    values: Vec<Vec<usize>>,
    /// How many combos and values there are.
    counts: (usize, usize),
}

impl Kinship {
    /// Numbers the combos and values of the shards of a plan.
    pub fn of(plan: &Plan) -> Self {
        let (mut combos, mut values) = (HashMap::new(), HashMap::new());
        let mut number = |spec: &ShardSpec| {
            let next = combos.len();
            *combos.entry(spec.combo_key()).or_insert(next)
        };
        let of_combo = plan.shards.iter().map(&mut number).collect();
        let mut values_of = |spec: &ShardSpec| {
            let of_axis = |(axis, name): (usize, &String)| {
                let next = values.len();
                *values.entry((axis, spec.value_of(name))).or_insert(next)
            };
            plan.axes.iter().enumerate().map(of_axis).collect()
        };
        let of_values = plan.shards.iter().map(&mut values_of).collect();
        Self { combos: of_combo, values: of_values, counts: (combos.len(), values.len()) }
    }

    /// Whether it is that of the plan as it is now.
    pub fn fits(&self, plan: &Plan) -> bool {
        self.combos.len() == plan.shards.len()
    }
}

/// Durations that the shards of a run have shown so far.
#[derive(Debug, Clone, Default)]
pub struct Fellows {
    kinship: Arc<Kinship>,
    all: Mean,
    combos: Vec<Mean>,
    values: Vec<Mean>,
    /// How much longer than before the work takes that earlier runs have taught.
    learned: Ratio,
    /// The same for what the sweep says.
    declared: Ratio,
    loading: Mean,
    closing: Mean,
}

/// A mean length of one episode, or of one shard where they are not sliced.
#[derive(Debug, Clone, Copy, Default)]
struct Mean {
    seconds: f64,
    units: f64,
}

/// Time that was taken against time that was foreseen.
#[derive(Debug, Clone, Copy, Default)]
struct Ratio {
    came: f64,
    foreseen: f64,
    shards: f64,
}

impl Fellows {
    /// By the shards that succeeded, and those that are on their way as far as they are. `left` gives what active
    /// shards still need, by their position; it may be empty.
    pub fn of(
        plan: &Plan,
        kinship: &Arc<Kinship>,
        state: &RunState,
        (left, now): (&[Remaining], Timestamp),
    ) -> Self {
        let (combos, values) = kinship.counts;
        let mut fellows = Self {
            kinship: Arc::clone(kinship),
            combos: vec![Mean::default(); combos],
            values: vec![Mean::default(); values],
            ..Self::default()
        };
        for (position, (spec, shard)) in plan.shards.iter().zip(&state.shards).enumerate() {
            if let Some((took, outcome)) = took(shard) {
                fellows.add(position, spec, (took.as_secs_f64(), 1.0));
                fellows.loading.add(outcome.loading, 1.0);
                fellows.closing.add(outcome.closing, 1.0);
            } else if let Some(remaining) = left.get(position)
                && let Some((length, part)) = remaining.length(shard, now)
            {
                fellows.add(position, spec, (length.as_secs_f64(), part));
            }
        }
        fellows
    }

    /// How long a shard should take in all: what it took before, what the sweep says, else what its fellows took.
    pub fn expected(&self, position: usize, spec: &ShardSpec) -> Option<Expected> {
        let error = Expected::LEARNED;
        if let Some(time) = &spec.learned.time {
            let learned = Expected { took: time.took, loading: time.loading, closing: time.closing, error };
            return Some(learned.scaled(self.learned.factor()));
        }
        if let Some(declared) = spec.expected {
            return Some(Expected::guessed(declared).scaled(self.declared.factor()));
        }
        self.of_kin(position, spec)
    }

    /// How long a shard takes of which nothing is known but that it belongs to this run.
    pub fn typical(&self) -> Option<Expected> {
        self.all.value().and_then(seconds).map(Expected::guessed)
    }

    fn of_kin(&self, position: usize, spec: &ShardSpec) -> Option<Expected> {
        let all = self.all.value()?;
        let same = self.kinship.combos.get(position).and_then(|combo| self.combos.get(*combo)?.value());
        let each = same.unwrap_or_else(|| {
            let values = self.kinship.values.get(position).map_or(&[][..], Vec::as_slice);
            let effect =
                |value: &usize| self.values.get(*value).map_or(1.0, |mean| mean.shrunk_to(all) / all);
            all * values.iter().map(effect).product::<f64>()
        });
        let error = if same.is_some() { Expected::SAME_COMBO } else { Expected::GUESSED };
        let took = seconds(each * units(spec))?;
        let part = |mean: &Mean| mean.value().and_then(seconds).filter(|part| *part < took);
        Some(Expected { took, loading: part(&self.loading), closing: part(&self.closing), error })
    }

    fn add(&mut self, position: usize, spec: &ShardSpec, (seconds, part): (f64, f64)) {
        let mean = Mean { seconds: seconds * part, units: units(spec) * part };
        self.all.join(mean);
        if let Some(of_combo) =
            self.kinship.combos.get(position).and_then(|combo| self.combos.get_mut(*combo))
        {
            of_combo.join(mean);
        }
        for value in self.kinship.values.get(position).map_or(&[][..], Vec::as_slice) {
            self.values[*value].join(mean);
        }
        if let Some(time) = &spec.learned.time {
            self.learned.add(seconds * part, time.took.as_secs_f64() * part, part);
        } else if let Some(declared) = spec.expected {
            self.declared.add(seconds * part, declared.as_secs_f64() * part, part);
        }
    }
}

impl Remaining {
    /// The whole length of an active shard, and how much of it its own steps say: 0 to 1.
    fn length(&self, shard: &ShardState, now: Timestamp) -> Option<(Duration, f64)> {
        let worked = remaining::worked(shard, now)?.saturating_sub(self.stuck);
        Some((worked + self.left?.time, self.share)).filter(|(_, share)| *share > 0.0)
    }
}

impl Mean {
    fn add(&mut self, length: Option<Duration>, units: f64) {
        if let Some(length) = length {
            self.join(Self { seconds: length.as_secs_f64(), units });
        }
    }

    fn join(&mut self, other: Self) {
        self.seconds += other.seconds;
        self.units += other.units;
    }

    fn value(&self) -> Option<f64> {
        (self.units > 0.0).then(|| self.seconds / self.units)
    }

    /// The mean as if some units more had shown that value.
    fn shrunk_to(&self, value: f64) -> f64 {
        (self.seconds + DOUBT * value) / (self.units + DOUBT)
    }
}

impl Ratio {
    fn add(&mut self, came: f64, foreseen: f64, shards: f64) {
        self.came += came;
        self.foreseen += foreseen;
        self.shards += shards;
    }

    /// As if some shards more had come as foreseen.
    fn factor(&self) -> f64 {
        if self.foreseen <= 0.0 || self.shards <= 0.0 {
            return 1.0;
        }
        let doubt = DOUBT * self.foreseen / self.shards;
        (self.came + doubt) / (self.foreseen + doubt)
    }
}

/// How long a shard took that succeeded, with the attempts whose work it continued and without pauses.
fn took(shard: &ShardState) -> Option<(Duration, &Outcome)> {
    let ended = shard.phase.ended().filter(|_| shard.phase.kind() == PhaseKind::Succeeded)?;
    let own = ended.outcome.worked_time()?;
    Some((own + shard.worked_before(ended.attempt), &ended.outcome))
}

/// Episodes where shards are slices: those of a slice take as long as they are many.
fn units(spec: &ShardSpec) -> f64 {
    spec.slice.as_ref().map_or(1.0, |slice| (slice.episodes as f64).max(1.0))
}

fn seconds(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}
