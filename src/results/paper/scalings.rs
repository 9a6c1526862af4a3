//! The table of how the throughput grows.

use super::table::{Decimals, PaperCell, PaperTable};
use crate::results::findings::Findings;
use crate::results::report::scaling::scaling_title;

/// Every point of every axis of numbers.
pub fn scalings_table(findings: &Findings<'_>) -> PaperTable {
    let number = |number: Option<f64>| PaperCell::number(number, Decimals::Short);
    let mut rows = Vec::new();
    for scaling in findings.scalings() {
        let name = scaling_title(&scaling, &findings.records.plan.axes);
        for point in &scaling.points {
            rows.push(vec![
                PaperCell::text(&name),
                number(Some(point.number)),
                number(Some(point.throughput)),
                PaperCell::text(scaling.unit.as_str()),
                number(point.speed_up),
                number(point.per_watt),
                number(point.peak_vram),
                PaperCell::text(point.invalid.clone().unwrap_or_default()),
            ]);
        }
    }
    let heads = "axis | number | throughput | unit | speed-up | per W | peak VRAM, bytes | does not count";
    PaperTable::new("scaling", "Scaling", heads, rows)
}
