//! The comparison as a document for programs.

use serde_json::{Map, Value, json};

use super::change::{ComboChange, VerdictChange};
use super::compared::{Compared, ComparedCombo, ComparedRun};
use super::machines::MachineUse;
use super::metrics::{self, MetricAcross};
use crate::results::outcome::ShardOutcome;
use crate::results::statistics::paired::paired_metric::PairedMetric;
use crate::results::statistics::tested_difference::TestedDifference;
use crate::results::statistics::totals::Totals;

/// The version of this document. Keys may be added to it; none is taken away or changes its meaning.
pub const COMPARISON_VERSION: u32 = 1;

/// The comparison; the differences are those to the first run.
pub fn build_document(compared: &Compared<'_>) -> Value {
    let differences = compared.other_sides().map(|(place, side)| {
        let run = json!({
            "run": side.label,
            "probability_above_first": metrics::probability_above_first(compared, place),
            "paired_metrics": compared.paired_metrics(place).iter().map(PairedMetric::to_json).collect::<Vec<_>>(),
        });
        merge_members(difference_json(compared.overall_difference(place)), run)
    });
    json!({
        "version": COMPARISON_VERSION,
        "runs": compared.sides.iter().map(run_json).collect::<Vec<_>>(),
        "axes": compared.axes,
        "combos": compared.combos.iter().map(|combo| of_combo(compared, combo)).collect::<Vec<_>>(),
        "combos_left_out": compared.alone,
        "differences": differences.collect::<Vec<_>>(),
        "metrics": metrics::compare_metrics(compared).iter().map(MetricAcross::to_json).collect::<Vec<_>>(),
    })
}

fn run_json(side: &ComparedRun<'_>) -> Value {
    let records = &side.findings.records;
    let info = records.info;
    json!({
        "run": side.label,
        "id": info.id,
        "name": info.name,
        "host": info.host,
        "started": info.created,
        "seen": records.seen,
        "state": records.word,
        "provisional": side.findings.is_provisional(),
        "machine": MachineUse::from_findings(side.findings).to_json(),
        "git_commit": info.git_commit,
        "sweepdeck": info.sweepdeck,
        "totals": Totals::from_shards(side.findings.outcomes.iter()).to_json(),
        "headline": side.findings.headline().map(|headline| headline.to_json()),
        "another_sweep": side.sameness.breaks,
        "notes": side.sameness.notes,
    })
}

fn of_combo(compared: &Compared<'_>, combo: &ComparedCombo) -> Value {
    let values: Map<String, Value> = compared
        .axes
        .iter()
        .zip(&combo.values)
        .map(|(axis, value)| (axis.clone(), value.as_str().into()))
        .collect();
    let cells = combo.cells.iter().map(|cell| cell.as_ref().map(|group| Value::Object(group.to_json())));
    let changes = compared
        .other_sides()
        .map(|(place, _)| compared.combo_change(combo, place).map(|change| of_change(&change)));
    json!({
        "values": values,
        "runs": cells.collect::<Vec<_>>(),
        "changes": changes.collect::<Vec<_>>(),
    })
}

fn of_change(change: &ComboChange<'_>) -> Value {
    let (turn, shards) = match &change.turn {
        VerdictChange::Broken(shards) => (Some("broken"), shards.as_slice()),
        VerdictChange::Fixed(shards) => (Some("fixed"), shards.as_slice()),
        VerdictChange::StillFailing(shards) => (Some("still-failing"), shards.as_slice()),
        VerdictChange::None => (None, &[][..]),
    };
    let rest = json!({
        "turn": turn,
        "failures": shards.iter().map(|shard| failure_json(shard)).collect::<Vec<_>>(),
        "seconds": change.pace.map(|pace| {
            json!({"before": pace.before, "now": pace.now, "times": pace.time_ratio(), "of": pace.of.as_str()})
        }),
    });
    merge_members(difference_json(change.tested), rest)
}

fn failure_json(shard: &ShardOutcome<'_>) -> Value {
    json!({"shard": shard.id(), "reason": shard.reason, "message": shard.message})
}

/// A difference to the first run; every key is there also where nothing is known.
fn difference_json(tested: Option<TestedDifference>) -> Value {
    const KEYS: [&str; 8] = [
        "success_rate_difference",
        "interval_95",
        "newcombe_95",
        "p_value",
        "p_holm",
        "comparisons",
        "design",
        "stopped_early",
    ];
    match tested {
        Some(tested) => tested.to_json(),
        None => KEYS.into_iter().map(|key| (key.to_owned(), Value::Null)).collect::<Map<_, _>>().into(),
    }
}

/// The members of both.
fn merge_members(document: Value, more: Value) -> Value {
    match (document, more) {
        (Value::Object(mut document), Value::Object(more)) => {
            document.extend(more);
            Value::Object(document)
        }
        (document, _) => document,
    }
}
