//! Tables that compare the values of an axis.

use super::table::{Decimals, PaperCell, PaperTable};
use crate::results::findings::Findings;
use crate::results::statistics::improvement;
use crate::results::statistics::sequential::{Sequential, SequentialPair};
use crate::results::statistics::superiority::compute_superiorities;

/// Differences of success rates.
pub fn differences_table(findings: &Findings<'_>) -> PaperTable {
    let rows = findings.contrasts().iter().map(|contrast| {
        let difference = contrast.tested.difference;
        vec![
            PaperCell::text(&contrast.axis),
            PaperCell::text(&contrast.first),
            PaperCell::text(&contrast.second),
            percent_cell(difference.value),
            percent_cell(difference.low),
            percent_cell(difference.high),
            PaperCell::number(Some(contrast.tested.adjusted), Decimals::Fixed(3)),
            PaperCell::count(contrast.tested.family),
            PaperCell::Text(contrast.design_text()),
        ]
    });
    PaperTable::new(
        "differences",
        "Differences of success, percentage points, with 95 % intervals",
        "axis | first | second | difference | low | high | p (Holm) | comparisons | compared",
        rows.collect(),
    )
}

/// The comparison that ends once it is decided; `None` if the sweep has none.
pub fn sequential_table(findings: &Findings<'_>) -> Option<PaperTable> {
    let sequential = Sequential::from_state(findings.records.plan, findings.records.state)?;
    let row = |pair: &SequentialPair| {
        let end = |part: Option<f64>| part.map_or(PaperCell::Unknown, percent_cell);
        vec![
            PaperCell::text(&pair.first),
            PaperCell::text(&pair.second),
            PaperCell::count(pair.successes.0 as usize),
            PaperCell::count(pair.successes.1 as usize),
            PaperCell::count(pair.episodes as usize),
            end(pair.difference.map(|difference| difference.value)),
            end(pair.difference.map(|difference| difference.low)),
            end(pair.difference.map(|difference| difference.high)),
            PaperCell::number(Some(pair.e_value), Decimals::Short),
            PaperCell::Text(pair.result_text()),
        ]
    };
    let saving = sequential.saving.saved_text().map(|words| format!("; {words}")).unwrap_or_default();
    Some(PaperTable::new(
        "sequential",
        &format!(
            "Comparison of {}, percentage points, intervals hold at every look{saving}",
            sequential.axis
        ),
        "first | second | first successes | second successes | episodes each | difference | low | high | e | found",
        sequential.pairs.iter().map(row).collect(),
    ))
}

/// Metrics of the same episodes of two values.
pub fn paired_metrics(findings: &Findings<'_>) -> PaperTable {
    let short = |value: f64| PaperCell::number(Some(value), Decimals::Short);
    let rows = findings.paired_metrics().iter().map(|one| {
        let paired = &one.paired;
        let end = |end: Option<f64>| end.map_or(PaperCell::Unknown, short);
        vec![
            PaperCell::text(&one.axis),
            PaperCell::text(&one.first),
            PaperCell::text(&one.second),
            PaperCell::text(&paired.metric),
            short(paired.means.0),
            short(paired.means.1),
            short(paired.difference),
            end(paired.interval.map(|of| of.low)),
            end(paired.interval.map(|of| of.high)),
            PaperCell::count(paired.pairs),
            PaperCell::count(paired.left_out as usize),
            PaperCell::text(paired.early_stop.remark_text().unwrap_or_default()),
        ]
    });
    PaperTable::new(
        "paired-metrics",
        "Metrics of the same episodes: differences episode by episode, with 95 % intervals of a paired bootstrap",
        "axis | first | second | metric | first mean | second mean | difference | low | high | episodes | left out | note",
        rows.collect(),
    )
}

/// Metrics of two values.
pub fn improvements_table(findings: &Findings<'_>) -> PaperTable {
    let percent = |part: f64| PaperCell::number(Some(100.0 * part), Decimals::Fixed(1));
    let rows =
        improvement::compute_improvements(findings.records.plan, &findings.outcomes).into_iter().map(|one| {
            let (low, high) = (one.interval.map(|of| of.low), one.interval.map(|of| of.high));
            vec![
                PaperCell::Text(one.axis),
                PaperCell::Text(one.first),
                PaperCell::Text(one.second),
                PaperCell::Text(one.metric),
                percent(one.probability),
                low.map_or(PaperCell::Unknown, percent),
                high.map_or(PaperCell::Unknown, percent),
                PaperCell::count(one.tasks),
                PaperCell::count(one.runs.0),
                PaperCell::count(one.runs.1),
                PaperCell::text(one.early_stop.remark_text().unwrap_or_default()),
            ]
        });
    PaperTable::new(
        "improvements",
        "Metrics compared: how often a run of the first has the larger value",
        "axis | first | second | metric | P, % | low | high | tasks | first runs | second runs | note",
        rows.collect(),
    )
}

/// How likely one rate is the larger one.
pub fn superiority_table(findings: &Findings<'_>) -> PaperTable {
    let rows = compute_superiorities(findings.records.plan, &findings.outcomes).into_iter().map(|one| {
        vec![
            PaperCell::Text(one.axis),
            PaperCell::Text(one.first),
            PaperCell::Text(one.second),
            PaperCell::number(Some(100.0 * one.probability), Decimals::Fixed(1)),
        ]
    });
    PaperTable::new(
        "superiority",
        "Probability that the first succeeds more often (Bayes, Beta(1, 1))",
        "axis | first | second | P(first > second), %",
        rows.collect(),
    )
}

fn percent_cell(part: f64) -> PaperCell {
    PaperCell::number(Some(100.0 * part), Decimals::Fixed(1))
}
