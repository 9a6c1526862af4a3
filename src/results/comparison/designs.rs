//! The designs of a comparison of runs: which combos were compared episode by episode, and why the others
//! were not.

use super::compared::{Compared, ComparedRun};
use crate::model::units::UNKNOWN;
use crate::results::statistics::design::{Design, Why};
use crate::results::statistics::tested_difference::TestedDifference;

/// So many combos are named.
const NAMED: usize = 3;

/// Describes a comparison with the first run in a table cell: `36 : 5 of 500`, `unpaired`.
pub fn design_cell(tested: Option<TestedDifference>) -> String {
    match tested.map(|tested| tested.design) {
        None => UNKNOWN.to_owned(),
        Some(Design::Paired { pairs, .. }) => {
            format!("{} : {} of {}", pairs.first_only, pairs.second_only, pairs.count())
        }
        Some(design @ (Design::Clustered { .. } | Design::Unpaired(_))) => design.brief_text(),
    }
}

/// Explains what the cells mean, one sentence each.
pub fn design_notes(compared: &Compared<'_>) -> Vec<String> {
    let told: Vec<(String, Design)> = compared
        .combos
        .iter()
        .flat_map(|combo| combo.tested.iter().flatten().map(|tested| (combo.name(), tested.design)))
        .collect();
    let is_paired = |design: &Design| match design {
        Design::Paired { .. } => true,
        Design::Clustered { .. } | Design::Unpaired(_) => false,
    };
    let mut notes: Vec<String> = early_stop_note(compared).into_iter().collect();
    if told.iter().any(|(_, design)| is_paired(design)) {
        notes.push(
            "pairs are episodes of the same task and seed, counted as \"only the later run succeeded : only A did\"; their \
             intervals are Tango's, and p is McNemar's (mid-p)"
                .to_owned(),
        );
    }
    for why in Why::ALL {
        let mut names: Vec<&str> = told
            .iter()
            .filter(|(_, design)| *design == Design::Unpaired(why))
            .map(|(name, _)| name.as_str())
            .collect();
        names.dedup();
        if names.is_empty() {
            continue;
        }
        let more = names.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let named = names[..names.len().min(NAMED)].join(", ");
        notes.push(format!("unpaired, because {}: {named}{more}", why.reason_text()));
    }
    notes
}

/// Differences of runs know nothing of comparisons within one of them.
fn early_stop_note(compared: &Compared<'_>) -> Option<String> {
    let is_stopped = |side: &&ComparedRun<'_>| side.findings.outcomes.iter().any(|shard| shard.is_unneeded);
    let labels: Vec<&str> =
        compared.sides.iter().filter(is_stopped).map(|side| side.label.as_str()).collect();
    (!labels.is_empty()).then(|| {
        format!(
            "stopped early: a comparison within {} was decided before its plan was done; differences of runs are not adjusted \
             for that",
            labels.join(" and ")
        )
    })
}
