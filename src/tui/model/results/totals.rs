//! What the shards with one value of an axis, and those of one combo, come to together.

use std::collections::HashMap;

use super::success::{Success, Sums};
use crate::model::state::phase::PhaseKind;
use crate::tui::model::screen::Model;

/// The shards of a combo, where a combo has several, are summed under this name.
pub const COMBO: &str = "combo";

/// The sum over the shards that pass the filter and share a value.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueTotal {
    /// The axis, or [`COMBO`].
    pub axis: String,
    /// Value on that axis, or the combo.
    pub value: String,
    /// How many shards are in each phase.
    pub counts: [usize; PhaseKind::ALL.len()],
    /// The rate of success so far, where episodes are known.
    pub success: Option<Success>,
}

#[derive(Default)]
struct ValueSum {
    counts: [usize; PhaseKind::ALL.len()],
    success: Sums,
}

/// The sums by each value of each axis in their order, the axis that was asked for first; before them those by combo,
/// where combos are cut into slices.
pub fn compute_totals(model: &Model) -> Vec<ValueTotal> {
    let combos = (model.values.count_combos() > 0).then_some(COMBO);
    let mut names: Vec<&str> = combos.into_iter().chain(model.plan.axes.iter().map(String::as_str)).collect();
    if !names.is_empty() {
        let first = model.views.totals % names.len();
        names.rotate_left(first);
    }
    names.into_iter().flat_map(|name| totals_by_axis(model, name)).collect()
}

/// How many sums there are.
pub fn count_totals(model: &Model) -> usize {
    model.values.all_shown() + model.values.count_combos()
}

fn totals_by_axis(model: &Model, axis: &str) -> Vec<ValueTotal> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut sums: Vec<(String, ValueSum)> = Vec::new();
    for position in &model.table.visible {
        let (Some(spec), Some(reading)) = (model.spec(*position), model.reading(*position)) else { continue };
        let value = match axis {
            COMBO => model.plan.axes.iter().map(|axis| spec.value_of(axis)).collect::<Vec<_>>().join(" "),
            axis => spec.value_of(axis),
        };
        let place = *places.entry(value.clone()).or_insert(sums.len());
        if place == sums.len() {
            sums.push((value, ValueSum::default()));
        }
        let sum = &mut sums[place].1;
        sum.counts[reading.state.phase.kind() as usize] += 1;
        sum.success.add_reading(&reading);
    }
    let total = |(value, sum): (String, ValueSum)| ValueTotal {
        axis: axis.to_owned(),
        value,
        counts: sum.counts,
        success: sum.success.to_success(),
    };
    sums.into_iter().map(total).collect()
}
