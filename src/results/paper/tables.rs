//! All tables of a run.

use super::table::PaperTable;
use super::{comparisons, metrics, rates, scalings};
use crate::results::findings::Findings;

/// Every table that has a row.
pub fn build_tables(findings: &Findings<'_>) -> Vec<PaperTable> {
    let mut tables = vec![
        rates::by_combo(findings),
        rates::by_value(findings),
        metrics::spreads_table(findings),
        comparisons::differences_table(findings),
    ];
    tables.extend(comparisons::sequential_table(findings));
    tables.extend([
        comparisons::paired_metrics(findings),
        comparisons::improvements_table(findings),
        comparisons::superiority_table(findings),
        scalings::scalings_table(findings),
    ]);
    tables.retain(|table| !table.rows.is_empty());
    tables
}
