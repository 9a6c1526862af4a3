//! `[analysis]`: how the results of a sweep are compared.

use super::problem::{Problem, word_hint};
use super::table::Table;
use crate::model::analysis::{AnalysisSpec, Pairing};

/// Reads `[analysis]` of a sweep with these axes.
pub(super) fn read(root: &Table<'_>, axes: &[String]) -> AnalysisSpec {
    let table = root.table("analysis");
    let clusters = table.get("clusters").is_some().then(|| clusters(&table, axes));
    let words = [("by-seed", Pairing::BySeed), ("by-number", Pairing::ByNumber), ("never", Pairing::Never)];
    let paired = table.choice("paired", &words).unwrap_or_default();
    table.finish();
    AnalysisSpec { clusters, paired }
}

fn clusters(table: &Table<'_>, axes: &[String]) -> Vec<String> {
    let mut clusters: Vec<String> = Vec::new();
    for axis in table.texts("clusters") {
        let name = axis.get_ref();
        if !axes.contains(name) {
            let known: Vec<&str> = axes.iter().map(String::as_str).collect();
            let message = format!("`clusters` names `{name}`, which is no axis of `[matrix]`");
            table.sink().add(Problem::new(axis.span(), message).hint(word_hint(name, &known)));
        } else if !clusters.contains(name) {
            clusters.push(axis.into_inner());
        }
    }
    clusters
}

#[cfg(test)]
mod tests;
