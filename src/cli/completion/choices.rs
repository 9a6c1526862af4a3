//! The choices for a word: which runs, shards, axes and values can stand there.

use crate::model::ids::ShardId;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_info::RunPointer;
use crate::model::state::run_state::RunState;
use crate::model::sweep::axis::AxisValues;
use crate::model::sweep::plan::Plan;

/// A word that may be typed, and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The whole word.
    pub word: String,
    /// Its meaning; empty where the word says it.
    pub help: String,
}

impl Choice {
    /// A choice with a meaning.
    pub fn new(word: impl Into<String>, help: impl Into<String>) -> Self {
        Self { word: word.into(), help: help.into() }
    }
}

/// The runs by id, in their order.
pub fn run_choices(runs: &[RunPointer]) -> Vec<Choice> {
    runs.iter().map(|run| Choice::new(&run.id.0, run.dir.display().to_string())).collect()
}

/// The shards and services that the verb can act on now, without those that were typed already.
pub fn shard_choices(verb: &str, state: &RunState, typed: &[String]) -> Vec<Choice> {
    let shards = state.shards.iter().map(|shard| (&shard.id, shard.phase.kind()));
    let shards = shards.filter(|(_, phase)| accepts_shard(verb, *phase));
    let shards = shards.map(|(id, phase)| Choice::new(id.as_str(), phase.as_str()));
    let services = state.services.iter().filter(|_| accepts_services(verb));
    let services = services
        .map(|service| Choice::new(service.id().as_str(), format!("service, {}", service.phase().as_str())));
    shards.chain(services).filter(|choice| !typed.contains(&choice.word)).collect()
}

/// Reports whether the verb does something with a shard in this phase.
fn accepts_shard(verb: &str, phase: PhaseKind) -> bool {
    match verb {
        "pause" => phase == PhaseKind::Running,
        "resume" => phase == PhaseKind::Paused,
        "enter" => phase.is_active(),
        "kill" => !phase.is_final(),
        "requeue" => phase.is_final(),
        "undo" | "priority" => phase == PhaseKind::Queued,
        "restart" => false,
        _ => true,
    }
}

fn accepts_services(verb: &str) -> bool {
    matches!(verb, "restart" | "logs" | "enter" | "kill" | "pause" | "resume")
}

/// The shards of a sweep that has not been started.
pub fn planned_choices(plan: &Plan) -> Vec<Choice> {
    plan.shards.iter().map(|shard| plain(&shard.id)).collect()
}

fn plain(id: &ShardId) -> Choice {
    Choice::new(id.as_str(), "")
}

/// The axes of a plan with their values; those of plans of earlier versions are without values.
pub fn axes_of(plan: &Plan) -> Vec<AxisValues> {
    match &plan.expansion {
        Some(expansion) => expansion.axes.clone(),
        None => plan.axes.iter().map(|name| AxisValues { name: name.clone(), values: Vec::new() }).collect(),
    }
}

/// `axis=` for each axis.
pub fn axis_choices(axes: &[AxisValues]) -> Vec<Choice> {
    let help = |axis: &AxisValues| match axis.values.len() {
        0 => String::new(),
        1 => "1 value".to_owned(),
        count => format!("{count} values"),
    };
    axes.iter().map(|axis| Choice::new(format!("{}=", axis.name), help(axis))).collect()
}

/// `axis=` as long as no axis is typed, and then `axis=value` for each of its values.
pub fn pair_choices(axes: &[AxisValues], typed: &str) -> Vec<Choice> {
    let Some((name, _)) = typed.split_once('=') else { return axis_choices(axes) };
    let values = axes.iter().find(|axis| axis.name == name).map(|axis| &axis.values[..]).unwrap_or_default();
    values.iter().map(|value| Choice::new(format!("{name}={value}"), "")).collect()
}

/// Ids or pairs for `--only`, where several are joined by commas: the choices hold what was typed before the last one.
pub fn only_choices(plan: &Plan, typed: &str) -> Vec<Choice> {
    let (before, last) = match typed.rfind(',') {
        Some(comma) => typed.split_at(comma + 1),
        None => ("", typed),
    };
    let mut choices = pair_choices(&axes_of(plan), last);
    // Ids and pairs do not mix.
    if before.contains('=') {
        choices.retain(|choice| choice.word.contains('='));
    } else if !before.is_empty() {
        choices = planned_choices(plan);
    } else if !last.contains('=') {
        choices.extend(planned_choices(plan));
    }
    choices.into_iter().map(|choice| Choice { word: format!("{before}{}", choice.word), ..choice }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::value::Value;

    fn axes() -> Vec<AxisValues> {
        let axis = |name: &str, values: Vec<Value>| AxisValues { name: name.to_owned(), values };
        vec![
            axis("policy", ["flat", "rough"].map(|text| Value::String(text.to_owned())).to_vec()),
            axis("seed", vec![Value::Integer(3)]),
        ]
    }

    fn words(choices: &[Choice]) -> Vec<&str> {
        choices.iter().map(|choice| choice.word.as_str()).collect()
    }

    #[test]
    fn values_follow_their_axis() {
        assert_eq!(words(&pair_choices(&axes(), "")), ["policy=", "seed="]);
        assert_eq!(words(&pair_choices(&axes(), "policy=r")), ["policy=flat", "policy=rough"]);
        assert_eq!(words(&pair_choices(&axes(), "seed=")), ["seed=3"]);
        assert!(pair_choices(&axes(), "env=").is_empty());
    }

    #[test]
    fn verbs_are_offered_the_shards_that_they_change() {
        assert!(accepts_shard("pause", PhaseKind::Running) && !accepts_shard("pause", PhaseKind::Failed));
        assert!(accepts_shard("requeue", PhaseKind::Failed) && !accepts_shard("requeue", PhaseKind::Running));
        assert!(accepts_shard("kill", PhaseKind::Queued) && !accepts_shard("kill", PhaseKind::Succeeded));
        assert!(PhaseKind::ALL.into_iter().all(|phase| accepts_shard("logs", phase)));
    }
}
