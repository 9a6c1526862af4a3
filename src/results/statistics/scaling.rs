//! How the throughput grows with a number on an axis, and from where on it hardly does.

use serde_json::{Map, Value, json};

use super::group;
use crate::model::logs::work::{self, UnitWorth};
use crate::model::state::phase::PhaseKind;
use crate::model::step_count::StepCount;
use crate::model::sweep::plan::Plan;
use crate::model::value::Value as AxisValue;
use crate::results::axes;
use crate::results::measured::measures::AttemptMeasures;
use crate::results::outcome::ShardOutcome;

/// The metric that gives the speed of a shard.
const STEPS_PER_S: &str = "steps_per_s";

/// From the knee on a doubling brings less than the square root of two, 41 %.
const KNEE: f64 = 0.5;

/// Unit in which throughput is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThroughputUnit {
    /// Environment steps per second, as printed in the log.
    StepsPerS,
    /// Episodes per hour, of evaluations that print no steps: only along an axis that resources depend on,
    /// because along any other it shows how long the episodes of that value are.
    EpisodesPerH,
}

/// How the throughput grows with a number, under one choice of the other values.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    /// The axis of numbers.
    pub axis: String,
    /// Unit in which throughput is counted.
    pub unit: ThroughputUnit,
    /// The other axes' values.
    pub others: Vec<String>,
    /// In the order of the numbers.
    pub points: Vec<ScalingPoint>,
    /// The last number up to which growing pays; `None` if it pays to the end.
    pub knee: Option<f64>,
    /// The largest number with valid results.
    pub last_valid: Option<f64>,
}

/// Throughput at one number on the axis.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalingPoint {
    /// Value on the axis, as a number.
    pub number: f64,
    /// In the unit of the scaling.
    pub throughput: f64,
    /// How many times that of the smallest valid number.
    pub speed_up: Option<f64>,
    /// Throughput per watt; `None` if the power is unknown, or others used the same GPU.
    pub per_watt: Option<f64>,
    /// The most VRAM of one shard, in bytes.
    pub peak_vram: Option<f64>,
    /// Why the results do not count, where they do not.
    pub invalid: Option<String>,
}

/// Facts about a shard's newest attempt besides its outcome.
#[derive(Debug, Clone, Copy)]
pub struct NewestAttempt<'a> {
    /// Measurements of the attempt.
    pub measures: &'a AttemptMeasures,
    /// How many GPUs it had for itself; `None` if it shared one.
    pub own_gpus: Option<usize>,
}

/// Every axis of numbers along which at least two shards have a known speed. Steps that hold as much work as
/// the axis gives are left out: fewer of them in a second may be more work.
pub fn compute_scalings(
    plan: &Plan,
    outcomes: &[ShardOutcome<'_>],
    newest: &[Option<NewestAttempt<'_>>],
) -> Vec<Scaling> {
    let axes: Vec<&str> = axes::axes_of_interest(plan);
    let holds_batches =
        matches!(work::of_rate(Some(&plan.progress.preset), STEPS_PER_S), Some(UnitWorth::Batch(_)));
    let compares = |axis: &&&str| !(holds_batches && work::is_batch_axis(axis));
    let mut scalings = Vec::new();
    for axis in axes
        .iter()
        .filter(compares)
        .filter(|axis| outcomes.iter().all(|outcome| axis_number(outcome, axis).is_some()))
    {
        let others: Vec<&str> = axes.iter().copied().filter(|other| other != axis).collect();
        for (values, members) in group::group_members(&others, outcomes) {
            let members: Vec<(&ShardOutcome<'_>, Option<NewestAttempt<'_>>)> =
                members.iter().map(|position| (&outcomes[*position], newest[*position])).collect();
            let in_steps = compute_scaling(axis, ThroughputUnit::StepsPerS, values.clone(), &members);
            let in_episodes = || compute_scaling(axis, ThroughputUnit::EpisodesPerH, values, &members);
            let by_resources = resources_use(plan, axis);
            scalings.extend(in_steps.or_else(|| by_resources.then(in_episodes).flatten()));
        }
    }
    scalings
}

/// Whether what a shard is given of the machine depends on the axis.
fn resources_use(plan: &Plan, axis: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    plan.template.needs.values().any(|need| need.split(|c| !is_word(c)).any(|word| word == axis))
}

fn axis_number(outcome: &ShardOutcome<'_>, axis: &str) -> Option<f64> {
    match outcome.spec.vars.get(axis)? {
        AxisValue::Integer(number) => Some(*number as f64),
        AxisValue::Float(number) => Some(*number),
        AxisValue::Boolean(_) | AxisValue::String(_) => None,
    }
}

fn compute_scaling(
    axis: &str,
    unit: ThroughputUnit,
    others: Vec<String>,
    members: &[(&ShardOutcome<'_>, Option<NewestAttempt<'_>>)],
) -> Option<Scaling> {
    let mut numbers: Vec<f64> =
        members.iter().filter_map(|(outcome, _)| axis_number(outcome, axis)).collect();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    let mut points: Vec<ScalingPoint> = numbers
        .iter()
        .filter_map(|at| {
            let here = members.iter().filter(|(outcome, _)| axis_number(outcome, axis) == Some(*at));
            scaling_point(*at, unit, &here.copied().collect::<Vec<_>>())
        })
        .collect();
    if points.len() < 2 {
        return None;
    }
    let valid: Vec<(f64, f64)> = points
        .iter()
        .filter(|point| point.invalid.is_none() && point.throughput > 0.0)
        .map(|point| (point.number, point.throughput))
        .collect();
    if let Some((_, slowest)) = valid.first() {
        points.iter_mut().for_each(|point| point.speed_up = Some(point.throughput / slowest));
    }
    let last_valid = valid.last().map(|(number, _)| *number);
    Some(Scaling { axis: axis.to_owned(), unit, others, points, knee: find_knee(&valid), last_valid })
}

/// Several shards of one number, seeds or slices, count alike.
fn scaling_point(
    at: f64,
    unit: ThroughputUnit,
    shards: &[(&ShardOutcome<'_>, Option<NewestAttempt<'_>>)],
) -> Option<ScalingPoint> {
    let throughput = |outcome: &ShardOutcome<'_>| unit.throughput(outcome);
    let told: Vec<_> = shards.iter().filter(|(outcome, _)| throughput(outcome).is_some()).collect();
    let mean =
        |numbers: Vec<f64>| (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64);
    let per_watt = |(outcome, newest): &(&ShardOutcome<'_>, Option<NewestAttempt<'_>>)| {
        let newest = (*newest)?;
        let power = newest.measures.power.mean()? * newest.own_gpus? as f64;
        Some(throughput(outcome)? / power).filter(|_| power > 0.0)
    };
    let invalid = shards.iter().find(|(outcome, _)| outcome.phase != PhaseKind::Succeeded);
    Some(ScalingPoint {
        number: at,
        throughput: mean(told.iter().filter_map(|(outcome, _)| throughput(outcome)).collect())?,
        speed_up: None,
        per_watt: told.iter().map(|shard| per_watt(shard)).collect::<Option<Vec<_>>>().and_then(mean),
        peak_vram: shards
            .iter()
            .filter_map(|(outcome, _)| outcome.peaks.vram)
            .max()
            .map(|bytes| bytes.0 as f64),
        invalid: invalid.map(|(outcome, _)| {
            outcome
                .remark()
                .map_or_else(|| outcome.verdict().to_owned(), |told| format!("{}: {told}", outcome.verdict()))
        }),
    })
}

/// The first number from which on to the next one a doubling brings too little.
fn find_knee(valid: &[(f64, f64)]) -> Option<f64> {
    valid.windows(2).find_map(|pair| {
        let [(x, y), (next_x, next_y)] = pair else { return None };
        let growth = (next_y / y).ln() / (next_x / x).ln();
        (*x > 0.0 && growth < KNEE).then_some(*x)
    })
}

impl ThroughputUnit {
    /// Speed of a shard, `None` if unknown.
    fn throughput(self, outcome: &ShardOutcome<'_>) -> Option<f64> {
        match self {
            Self::StepsPerS => outcome.metrics.get(STEPS_PER_S).copied(),
            Self::EpisodesPerH => {
                // Without successes what is counted may be anything.
                outcome.successes?;
                let seconds = outcome.seconds.filter(|seconds| *seconds > 0.0)?;
                Some(3600.0 * outcome.episodes? / seconds)
            }
        }
    }

    /// Returns the unit for people, such as `steps/s`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::StepsPerS => "steps/s",
            Self::EpisodesPerH => "episodes/h",
        }
    }

    /// Returns the key for programs.
    fn key(self) -> &'static str {
        match self {
            Self::StepsPerS => STEPS_PER_S,
            Self::EpisodesPerH => "episodes_per_h",
        }
    }

    /// The time of so many steps, where steps are what is counted.
    pub fn seconds_for(self, count: StepCount, throughput: f64) -> Option<f64> {
        match self {
            Self::StepsPerS => count.seconds_at(throughput),
            Self::EpisodesPerH => None,
        }
    }
}

impl Scaling {
    /// As a part of `summary.json`, with the seconds that each number of steps takes.
    pub fn to_json(&self, steps: &[StepCount]) -> Value {
        let points = self.points.iter().map(|point| {
            let seconds: Map<String, Value> = steps
                .iter()
                .map(|count| {
                    (count.get().to_string(), self.unit.seconds_for(*count, point.throughput).into())
                })
                .collect();
            let key = self.unit.key();
            json!({
                "number": point.number,
                key: point.throughput,
                "speed_up": point.speed_up,
                format!("{key}_per_w"): point.per_watt,
                "seconds_for_steps": seconds,
                "peak_vram_bytes": point.peak_vram,
                "invalid": point.invalid,
            })
        });
        json!({
            "axis": self.axis,
            "others": self.others,
            "points": points.collect::<Vec<_>>(),
            "knee": self.knee,
            "last_valid": self.last_valid,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_is_where_a_doubling_stops_to_pay() {
        // Steps per second of an H100 by parallel environments, as measured in the field.
        let measured =
            [(1024.0, 8965.0), (2048.0, 15662.0), (4096.0, 24496.0), (8192.0, 36447.0), (16384.0, 37865.0)];
        assert_eq!(find_knee(&measured), Some(8192.0));
        assert_eq!(find_knee(&measured[..4]), None);
        assert_eq!(find_knee(&[]), None);
    }
}
