//! What the counts and rates of a log are worth: work itself, or batches that hold more of it the larger they are.

use serde::Serialize;

/// Axes by these names give how many samples or episodes one batch holds.
const BATCHES: [&str; 3] = ["batch_size", "batch", "eval_batch_size"];

/// Axes by these names give how many environments step at once.
const ENVIRONMENTS: [&str; 3] = ["num_envs", "n_envs", "envs"];

/// Rates of work, as a metric with its unit.
const RATES: [(&str, &str); 4] = [
    ("episodes_per_s", "episodes"),
    ("env_steps_per_s", "env steps"),
    ("samples_per_s", "samples"),
    ("frames_per_s", "frames"),
];

/// Metrics that count up, and what one more of each is worth.
const TOTALS: [(&str, UnitWorth); 6] = [
    ("episodes", UnitWorth::Work("episodes")),
    ("env_steps", UnitWorth::Work("env steps")),
    ("samples", UnitWorth::Work("samples")),
    ("frames", UnitWorth::Work("frames")),
    ("batches", UnitWorth::Batch(None)),
    ("iterations", UnitWorth::Batch(None)),
];

/// Units that programs count and that are the same amount of work whatever the batch size.
const WORK: [&str; 23] = [
    "episodes", "trials", "rollouts", "sequences", "trajectories", "games", "matches", "evaluations",
    "repetitions", "demos", "samples", "frames", "images", "questions", "examples", "problems", "instances",
    "tests", "cases", "prompts", "queries", "tasks", "scenes",
];

/// Worth of one unit that a log counts, in work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnitWorth {
    /// Work itself, in this unit.
    Work(&'static str),
    /// As much as its batch is large, or as there are environments; the unit of that work, where it is known.
    Batch(Option<&'static str>),
    /// The unit may be work or a batch.
    Unknown,
}

/// Whether the axis gives how much a shard does at once.
pub fn is_batch_axis(axis: &str) -> bool {
    let axis = axis.to_lowercase();
    BATCHES.contains(&axis.as_str()) || ENVIRONMENTS.contains(&axis.as_str())
}

/// Returns what one unit of the progress is worth.
pub fn of_count(preset: Option<&str>, unit: &str) -> UnitWorth {
    match (preset, unit) {
        // Each environment of a batch plays one episode.
        (Some("lerobot"), "batches") => UnitWorth::Batch(Some("episodes")),
        (Some("lerobot-train"), "steps") => UnitWorth::Batch(Some("samples")),
        (Some("isaaclab-arena"), "steps") | (Some("skrl"), "timesteps") => {
            UnitWorth::Batch(Some("env steps"))
        }
        (Some("sb3" | "cleanrl"), "timesteps") => UnitWorth::Work("env steps"),
        // One of them is a rollout of all environments.
        (Some("rl-games"), "epochs") | (_, "batches" | "iterations" | "updates") => UnitWorth::Batch(None),
        (_, unit) => {
            WORK.iter().find(|work| **work == unit).map_or(UnitWorth::Unknown, |work| UnitWorth::Work(work))
        }
    }
}

/// Returns the worth of one unit of the rate that a metric gives; `None` if the metric is no rate.
pub fn of_rate(preset: Option<&str>, metric: &str) -> Option<UnitWorth> {
    if let Some((_, unit)) = RATES.iter().find(|(name, _)| *name == metric) {
        return Some(UnitWorth::Work(unit));
    }
    match (preset, metric) {
        // Of the optimiser.
        (Some("lerobot-train"), "steps_per_s") => Some(UnitWorth::Batch(Some("samples"))),
        // Of all environments at once.
        (Some("skrl"), "timesteps_per_s") => Some(UnitWorth::Batch(Some("env steps"))),
        (_, metric) => metric.ends_with("steps_per_s").then_some(UnitWorth::Work("env steps")),
    }
}

/// Returns the worth of one more of what a metric counts; `None` if the metric counts no work.
pub fn of_total(metric: &str) -> Option<UnitWorth> {
    TOTALS.iter().find(|(name, _)| *name == metric).map(|(_, worth)| *worth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_work_batches_or_unknown() {
        assert_eq!(of_count(None, "episodes"), UnitWorth::Work("episodes"));
        assert_eq!(of_count(Some("counter"), "batches"), UnitWorth::Batch(None));
        assert_eq!(of_count(Some("rsl-rl"), "iterations"), UnitWorth::Batch(None));
        assert_eq!(of_count(Some("lerobot"), "batches"), UnitWorth::Batch(Some("episodes")));
        assert_eq!(of_count(Some("lerobot"), "episodes"), UnitWorth::Work("episodes"));
        assert_eq!(of_count(Some("tqdm"), "steps"), UnitWorth::Unknown);
        assert_eq!(
            of_count(Some("counter"), "epochs"),
            UnitWorth::Unknown,
            "an epoch is all of a data set, or a rollout"
        );
    }

    #[test]
    fn rates_are_those_of_environments_unless_their_program_counts_otherwise() {
        assert_eq!(of_rate(Some("rsl-rl"), "steps_per_s"), Some(UnitWorth::Work("env steps")));
        assert_eq!(of_rate(Some("lerobot-train"), "steps_per_s"), Some(UnitWorth::Batch(Some("samples"))));
        assert_eq!(of_rate(Some("skrl"), "timesteps_per_s"), Some(UnitWorth::Batch(Some("env steps"))));
        assert_eq!(of_rate(Some("skrl"), "episodes_per_s"), Some(UnitWorth::Work("episodes")));
        assert_eq!(of_rate(None, "loss"), None);
        assert_eq!((of_total("episodes"), of_total("success")), (Some(UnitWorth::Work("episodes")), None));
    }
}
