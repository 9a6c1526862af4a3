//! All tables of a run.

use super::table::PaperTable;
use super::{comparisons, metrics, rates, scalings};
use crate::results::findings::Findings;

/// Every table that has a row.
pub fn tables(findings: &Findings<'_>) -> Vec<PaperTable> {
    let mut tables = vec![
        rates::by_combo(findings),
        rates::by_value(findings),
        metrics::spreads(findings),
        comparisons::differences(findings),
    ];
    tables.extend(comparisons::sequential(findings));
    tables.extend([
        comparisons::paired_metrics(findings),
        comparisons::improvements(findings),
        comparisons::superiority(findings),
        scalings::table(findings),
    ]);
    tables.retain(|table| !table.rows.is_empty());
    tables
}
