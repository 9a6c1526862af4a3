//! `summary.json`: the run, its counts, its shards, and what they come to together.

use serde_json::{Map, Value, json};

use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunStage;
use crate::results::artifacts::ShardArtifacts;
use crate::results::axes;
use crate::results::findings::{Findings, Records};
use crate::results::measured::measures::AttemptMeasures;
use crate::results::measured::node_use::{NodeUse, list_node_uses};
use crate::results::metric_summary::metric_intervals;
use crate::results::outcome::ShardOutcome;
use crate::results::statistics::contrast::Contrast;
use crate::results::statistics::cost::Cost;
use crate::results::statistics::group::{self, ShardGroup};
use crate::results::statistics::improvement::compute_improvements;
use crate::results::statistics::paired::paired_metric::AxisMetric;
use crate::results::statistics::sequential::Sequential;
use crate::results::statistics::superiority::compute_superiorities;

/// The version of this document. Keys may be added to it; none is taken away or changes its meaning.
pub const SUMMARY_VERSION: u32 = 1;

/// The summary of a run so far.
pub fn build_summary(findings: &Findings<'_>) -> Value {
    let Findings { records, outcomes, costs, measured, .. } = findings;
    let plan = records.plan;
    let counts: Map<String, Value> = PhaseKind::ALL
        .iter()
        .map(|kind| {
            let count = outcomes.iter().filter(|outcome| outcome.phase == *kind).count();
            (kind.as_str().to_owned(), count.into())
        })
        .collect();
    let axes: Map<String, Value> = plan
        .axes
        .iter()
        .map(|axis| {
            let groups = group::group_outcomes(&[axis], outcomes, costs);
            (axis.clone(), groups.iter().map(|group| of_value(findings, axis, group)).collect())
        })
        .collect();
    let names: Vec<&str> = plan.axes.iter().map(String::as_str).collect();
    let combos = group::group_outcomes(&names, outcomes, costs);
    let scaling = findings.scalings();
    let newest = findings.newest_measures();
    let shards = outcomes.iter().zip(costs).zip(newest).zip(&findings.artifacts);
    let mut summary = json!({
        "version": SUMMARY_VERSION,
        "run": run_json(records),
        "counts": counts,
        "headline": findings.headline().map(|headline| headline.to_json()),
        "clusters": {
            "axes": axes::cluster_axes(plan),
            "named_by": if plan.analysis.clusters.is_some() { "sweep" } else { "name" },
        },
        "totals": group::group_outcomes(&[], outcomes, costs).first().map(ShardGroup::to_json),
        "axes": axes,
        "combos": combos.iter().map(|combo| of_combo(findings, &names, combo)).collect::<Vec<_>>(),
        "differences": findings.contrasts().iter().map(Contrast::to_json).collect::<Vec<_>>(),
        "paired_metrics": findings.paired_metrics().iter().map(AxisMetric::to_json).collect::<Vec<_>>(),
        "superiority": compute_superiorities(plan, outcomes),
        "improvements": compute_improvements(plan, outcomes),
        "sequential": Sequential::from_state(plan, records.state).map(|sequential| sequential.to_json()),
        "provisional": findings.is_provisional(),
        "scaling": scaling.iter().map(|scaling| scaling.to_json(&plan.results.steps)).collect::<Vec<_>>(),
        "telemetry": measured.to_json(),
        "system": findings.system,
        "warnings": findings.cross_shard_warnings(),
        "merged": findings.merged,
        "pack_values": findings.pack_values,
        "shards": shards
            .map(|(((outcome, cost), measures), files)| {
                shard_json(outcome, *cost, measures, files.as_ref())
            })
            .collect::<Vec<_>>(),
    });
    if !plan.nodes.is_empty() {
        summary["nodes"] = list_node_uses(findings).iter().map(NodeUse::to_json).collect();
    }
    summary
}

fn run_json(records: &Records<'_>) -> Value {
    let (ended, finished) = match records.state.stage {
        RunStage::Ended { at, finished } => (Some(at), Some(finished)),
        RunStage::Active | RunStage::Draining | RunStage::Stopping => (None, None),
    };
    let info = records.info;
    json!({
        "id": info.id,
        "name": info.name,
        "host": info.host,
        "sweepdeck": info.sweepdeck,
        "git_commit": info.git_commit,
        "started": info.created,
        "state": records.word,
        "seen": records.seen,
        "ended": ended,
        "finished": finished,
    })
}

fn of_value(findings: &Findings<'_>, axis: &str, group: &ShardGroup) -> Value {
    let mut entry = group.to_json();
    let intervals = metric_intervals(findings, group, &format!("{axis}={}", group.values.concat()));
    entry.insert("interquartile_mean_intervals".to_owned(), json!(intervals));
    entry.insert("value".to_owned(), group.values.concat().into());
    Value::Object(entry)
}

fn of_combo(findings: &Findings<'_>, axes: &[&str], group: &ShardGroup) -> Value {
    let mut entry = group.to_json();
    let named: Vec<String> =
        axes.iter().zip(&group.values).map(|(axis, value)| format!("{axis}={value}")).collect();
    let intervals = metric_intervals(findings, group, &named.join("/"));
    entry.insert("interquartile_mean_intervals".to_owned(), json!(intervals));
    let values: Map<String, Value> = axes
        .iter()
        .zip(&group.values)
        .map(|(axis, value)| ((*axis).to_owned(), value.as_str().into()))
        .collect();
    entry.insert("values".to_owned(), Value::Object(values));
    Value::Object(entry)
}

fn shard_json(
    outcome: &ShardOutcome<'_>,
    cost: Cost,
    measures: Option<&AttemptMeasures>,
    files: Option<&ShardArtifacts>,
) -> Value {
    let mut json = json!({
        "id": outcome.id(),
        "vars": outcome.spec.vars,
        "phase": outcome.phase,
        "reason": outcome.reason,
        "message": outcome.message,
        "attempts": outcome.attempts,
        "seconds": outcome.seconds,
        "episodes": outcome.episodes,
        "done": outcome.done,
        "unit": outcome.done.map(|_| outcome.unit),
        "successes": outcome.successes,
        "success_rate": outcome.success_rate,
        "peaks": outcome.peaks,
        "metrics": outcome.metrics,
        "warnings": outcome.warnings,
        "proof": outcome.proof,
        "cost": cost.to_json(),
        "telemetry": measures.map(AttemptMeasures::to_json),
        "artifacts": files.map(ShardArtifacts::to_json),
    });
    if let Some(node) = outcome.node {
        json["node"] = json!(node);
    }
    json
}
