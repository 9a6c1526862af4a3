//! A comparison that ends once it is decided: what was found of each pair, and what was saved.

use super::template::{Section, values};
use crate::model::decided::e_value_text;
use crate::model::results::rate_evidence::SequentialInterval;
use crate::model::units::or_unknown;
use crate::results::findings::Findings;
use crate::results::statistics::sequential::{Sequential, SequentialPair};

/// The heads of the table in every face.
pub const HEADS: [&str; 6] =
    ["first − second", "successes", "percentage points (at any time)", "e", "blocks", "found"];

/// Returns the section; `None` if the sweep compares nothing that way.
pub fn render_section(findings: &Findings<'_>) -> Option<Section> {
    let sequential = Sequential::from_state(findings.records.plan, findings.records.state)?;
    let values = values! {
        text => describe_method(&sequential), heads => HEADS, saving => sequential.saving.saved_text(),
        rows => sequential.pairs.iter().map(pair_cells).collect::<Vec<_>>(),
    };
    Some(Section::new(format!("Comparison of {}", sequential.axis), "rows", values))
}

/// How pairs are judged, for readers who want to know.
pub fn describe_method(sequential: &Sequential) -> String {
    format!(
        "Each pair is looked at whenever a block of shards ends, episode by episode where both sides ran the same, and decided at e = {:.0}; a false decision anywhere comes in at \
         most {} of 100 sweeps, however often one looks. A pair that is open at the end of the plan has the usual test, at half of \
         that level. Intervals hold at every look, also those of the rates of values that were stopped; those of metrics are not \
         adjusted for the stop. Rates of a comparison that ended early look a little larger apart than they are.",
        sequential.limit,
        100.0 * sequential.level
    )
}

/// The cells of a row, in the order of [`HEADS`].
pub fn pair_cells(pair: &SequentialPair) -> [String; 6] {
    let void = if pair.void > 0 { format!(", {} left out", pair.void) } else { String::new() };
    let (first, second) = pair.successes;
    [
        format!("{} − {}", pair.first, pair.second),
        format!("{first}/{n} − {second}/{n}", n = pair.episodes),
        or_unknown(pair.difference, format_points),
        e_value_text(pair.e_value),
        format!("{}{}{void}", pair.blocks, pair.paired_suffix()),
        pair.result_text(),
    ]
}

fn format_points(difference: SequentialInterval) -> String {
    let [value, low, high] =
        [difference.value, difference.low, difference.high].map(|part| 100.0 * part + 0.0);
    format!("{value:+.1} ({low:+.1} to {high:+.1})").replace('-', "−")
}
