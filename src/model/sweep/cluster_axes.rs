//! Which axes repeat the same work with weights that were trained again from scratch.

use super::plan::Plan;

/// Names of axes whose values are weights that were trained alike.
const OF_TRAININGS: [&str; 9] = [
    "train_seed", "training_seed", "pretrain_seed", "finetune_seed", "model_seed", "policy_seed",
    "checkpoint_seed", "ckpt_seed", "init_seed",
];

/// The axes that repeat the same with other weights: those that the sweep names, or else those whose names
/// imply it.
pub fn cluster_axes(plan: &Plan) -> Vec<&str> {
    let axes = plan.axes.iter().map(String::as_str);
    match &plan.analysis.clusters {
        Some(named) => axes.filter(|axis| named.iter().any(|name| name == axis)).collect(),
        None => axes.filter(|axis| OF_TRAININGS.iter().any(|name| axis.eq_ignore_ascii_case(name))).collect(),
    }
}
