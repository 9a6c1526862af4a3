//! `report.html`: one page with pictures, drawn from the findings.

pub mod by_value;
pub mod cards;
pub mod curves;
pub mod differences;
pub mod escape;
pub mod failures;
pub mod head;
pub mod improvements;
pub mod machine;
pub mod matrix;
pub mod merged;
pub mod nodes;
pub mod packs;
pub mod page;
pub mod paired_metrics;
pub mod pictures;
pub mod posteriors;
pub mod scaling;
pub mod sequential;
pub mod shards;
pub mod template;
pub mod timeline;
pub mod vram;
