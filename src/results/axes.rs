//! Axes of a sweep that are compared, and those that repeat the others.

pub use crate::model::sweep::axis::is_seed;
pub use crate::model::sweep::cluster_axes::cluster_axes;
use crate::model::sweep::plan::Plan;

/// Names of axes whose values are other work for the same policy.
const OF_TASKS: [&str; 18] = [
    "env", "envs", "environment", "env_id", "env_name", "task", "tasks", "task_id", "task_name",
    "task_suite", "suite", "benchmark", "scene", "terrain", "world", "level", "robot", "dataset",
];

/// The values of the axis are other work for the same policy: no episode of one is the same as one of another.
pub fn is_task(axis: &str) -> bool {
    OF_TASKS.iter().any(|name| axis.eq_ignore_ascii_case(name))
}

/// The axes whose values are compared: the others repeat these.
pub fn axes_of_interest(plan: &Plan) -> Vec<&str> {
    let clusters = cluster_axes(plan);
    let axes = plan.axes.iter().map(String::as_str);
    axes.filter(|axis| !is_seed(axis) && !clusters.contains(axis)).collect()
}

/// Names the axes that were taken for clusters because of their names, where the sweep names no clusters:
/// `train_seed is taken for repeated training by its name`.
pub fn clusters_by_name(plan: &Plan) -> Option<String> {
    let clusters = cluster_axes(plan);
    (plan.analysis.clusters.is_none() && !clusters.is_empty()).then(|| {
        format!(
            "{} counts as repeated training by its name, so that each value is one number and not its episodes; \
             `[analysis] clusters = []` says that it is not",
            clusters.join(", ")
        )
    })
}
