//! `report.md`: the same findings as text, for a pull request or a notebook.

use std::fmt::Write;
use std::time::Duration;

use crate::model::logs::printable::to_printable;
use crate::model::units::{format_duration, or_unknown};
use crate::results::axes;
use crate::results::findings::Findings;
use crate::results::merge::record::MergedFile;
use crate::results::pack_values::ValueEnd;
use crate::results::paper::comparisons::{improvements_table, paired_metrics, superiority_table};
use crate::results::paper::metrics;
use crate::results::rate_text::rate_text;
use crate::results::report::{scaling, sequential};
use crate::results::statistics::group;
use crate::results::statistics::sequential::Sequential;
use crate::results::statistics::totals::Totals;

/// So many values of packs without a result are named.
const MOST_VALUES: usize = 40;

/// Returns the results as a Markdown document.
pub fn render_markdown(findings: &Findings<'_>) -> String {
    let records = &findings.records;
    let info = records.info;
    let mut text = format!(
        "# {}\n\n{} on {}, {}, started {}.\n\n{} succeeded",
        escape_cell(&info.name),
        escape_cell(&info.id.0),
        escape_cell(&info.host),
        records.word.as_str(),
        info.created.strftime("%Y-%m-%d %H:%M:%S UTC"),
        format_shard_count(&Totals::from_shards(findings.outcomes.iter()))
    );
    let told = findings.headline();
    let headline = or_unknown(told, |headline| headline.text());
    let power = told.and_then(|headline| headline.power_line());
    let power = power.map(|line| format!(" ({line})")).unwrap_or_default();
    let _ = writeln!(text, ", success {headline}{power}.");
    if findings.is_provisional() {
        text.push_str("\nProvisional: not every shard has its result, and figures may change.\n");
    }
    for sign in findings.cross_shard_warnings() {
        let _ = writeln!(text, "\nWarning: {}", escape_cell(&sign));
    }
    if let Some(note) = axes::clusters_by_name(records.plan) {
        let _ = writeln!(text, "\n{}.", escape_cell(&note));
    }
    for told in findings.merged.iter().filter_map(MergedFile::describe_gaps) {
        let _ = writeln!(text, "\nWarning: {}", escape_cell(&told));
    }
    write_combos(&mut text, findings);
    write_comparison(&mut text, findings);
    write_differences(&mut text, findings);
    let paired = paired_metrics(findings);
    for table in
        [metrics::spreads_table(findings), paired, improvements_table(findings), superiority_table(findings)]
    {
        if !table.rows.is_empty() {
            text.push_str(&table.to_markdown(escape_cell));
        }
    }
    write_scalings(&mut text, findings);
    pack_values(&mut text, findings);
    write_shards(&mut text, findings);
    text
}

fn write_combos(text: &mut String, findings: &Findings<'_>) {
    let axes: Vec<&str> = axes::axes_of_interest(findings.records.plan);
    if axes.is_empty() {
        return;
    }
    text.push_str("\n## Success by combo\n\n");
    let heads = axes.iter().map(|axis| escape_cell(axis));
    let heads = heads.chain(["shards".to_owned(), "success (95 % interval)".to_owned()]).collect();
    let groups = group::group_outcomes(&axes, &findings.outcomes, &findings.costs);
    write_table(
        text,
        heads,
        groups.iter().map(|group| {
            let values = group.values.iter().map(|value| escape_cell(value));
            values.chain([format_shard_count(&group.totals), rate_text(&group.totals)]).collect()
        }),
    );
}

/// Writes a table of cells in which nothing is markup that should not be.
fn write_table(text: &mut String, heads: Vec<String>, rows: impl Iterator<Item = Vec<String>>) {
    let _ = writeln!(text, "| {} |\n|{}", heads.join(" | "), "---|".repeat(heads.len()));
    rows.for_each(|cells| _ = writeln!(text, "| {} |", cells.join(" | ")));
}

/// The comparison that ends once it is decided, with what was found and saved.
fn write_comparison(text: &mut String, findings: &Findings<'_>) {
    let records = &findings.records;
    let Some(sequential) = Sequential::from_state(records.plan, records.state) else { return };
    let _ = writeln!(text, "\n## Comparison of {}\n", escape_cell(&sequential.axis));
    let row = |pair| sequential::pair_cells(pair).map(|part| escape_cell(&part)).to_vec();
    write_table(text, sequential::HEADS.map(str::to_owned).to_vec(), sequential.pairs.iter().map(row));
    let _ = writeln!(text, "\n{}", escape_cell(&sequential::describe_method(&sequential)));
    if let Some(saving) = sequential.saving.saved_text() {
        let _ = writeln!(text, "\n**{}.**", escape_cell(&saving));
    }
}

fn write_differences(text: &mut String, findings: &Findings<'_>) {
    let contrasts = findings.contrasts();
    if contrasts.is_empty() {
        return;
    }
    text.push_str(
        "\n## Differences\n\n| axis | first − second | percentage points (95 % interval) | p (Holm) | held against one another |\n|---|---|---|---|---|\n",
    );
    for contrast in contrasts {
        let difference = contrast.tested.difference;
        let _ = writeln!(
            text,
            "| {} | {} − {} | {:+.1} ({:+.1} to {:+.1}) | {} | {} |",
            escape_cell(&contrast.axis),
            escape_cell(&contrast.first),
            escape_cell(&contrast.second),
            100.0 * difference.value,
            100.0 * difference.low,
            100.0 * difference.high,
            contrast.tested.p_text(),
            escape_cell(&contrast.design_text())
        );
    }
}

fn write_scalings(text: &mut String, findings: &Findings<'_>) {
    let plan = findings.records.plan;
    let steps = &plan.results.steps;
    for scaling in findings.scalings().iter().take(scaling::MOST) {
        let _ =
            writeln!(text, "\n## Scaling: {}\n", escape_cell(&scaling::scaling_title(scaling, &plan.axes)));
        let unit = scaling.unit.as_str();
        let times: String = steps.iter().map(|count| format!(" {count} steps |")).collect();
        let _ = writeln!(
            text,
            "| {} | {unit} | speed-up | {unit} per W | peak VRAM |{times} remark |",
            escape_cell(&scaling.axis)
        );
        let _ = writeln!(text, "|---|---|---|---|---|{}---|", "---|".repeat(steps.len()));
        for point in &scaling.points {
            let remark = [
                point.invalid.as_ref().map(|why| format!("does not count, {}", escape_cell(why))),
                (scaling.knee == Some(point.number)).then(|| "knee".to_owned()),
                (scaling.last_valid == Some(point.number)).then(|| "last valid".to_owned()),
            ];
            let remark: Vec<String> = remark.into_iter().flatten().collect();
            let _ = writeln!(
                text,
                "| {} | {} |",
                scaling::point_cells(scaling.unit, point, steps).join(" | "),
                remark.join(", ")
            );
        }
    }
}

/// Adds how packed values ended, with those without a result by name; the numbers of all are in `pack_values.csv`.
fn pack_values(text: &mut String, findings: &Findings<'_>) {
    let values = &findings.pack_values;
    if values.is_empty() {
        return;
    }
    let counts = ValueEnd::ALL.map(|end| (end, values.iter().filter(|value| value.end == end).count()));
    let counts = counts.iter().filter(|(_, count)| *count > 0);
    let told: Vec<String> = counts.map(|(end, count)| format!("{count} {}", end.as_str())).collect();
    let _ = writeln!(text, "\n## Values of packs\n\n{}; all are in `pack_values.csv`.\n", told.join(", "));
    for value in values.iter().filter(|value| value.end != ValueEnd::Succeeded).take(MOST_VALUES) {
        let _ = writeln!(
            text,
            "- {} {} in {}: {}",
            escape_cell(&value.axis),
            escape_cell(&value.value),
            escape_cell(value.shard.as_str()),
            value.end.as_str()
        );
    }
}

fn write_shards(text: &mut String, findings: &Findings<'_>) {
    let has_nodes = !findings.records.plan.nodes.is_empty();
    let (head, rule) = if has_nodes { (" node |", "---|") } else { ("", "") };
    let _ = writeln!(
        text,
        "\n## Shards\n\n| shard |{head} verdict | attempts | time | success | what was seen |\n|---|{rule}---|---|---|---|---|"
    );
    for outcome in &findings.outcomes {
        let node = outcome.node.map(|node| escape_cell(node.as_str())).unwrap_or_default();
        let node = if has_nodes { format!(" {node} |") } else { String::new() };
        let _ = writeln!(
            text,
            "| {} |{node} {} | {} | {} | {} | {} |",
            escape_cell(outcome.id().as_str()),
            outcome.verdict(),
            outcome.attempts,
            or_unknown(outcome.seconds, |seconds| format_duration(Duration::from_secs_f64(seconds))),
            or_unknown(outcome.success_rate, |rate| format!("{:.1} %", 100.0 * rate)),
            escape_cell(&outcome.remark().unwrap_or_default())
        );
    }
}

fn format_shard_count(totals: &Totals) -> String {
    format!("{} of {}", totals.succeeded, totals.shards)
}

/// A text within a table: on one line, and no sign in it is markup.
fn escape_cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    for c in to_printable(text).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '&' | '!' | '~') {
            cell.push('\\');
        }
        cell.push(c);
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::{findings, run};

    #[test]
    fn it_is_a_document_of_tables() {
        let text = render_markdown(&findings(&run()));
        assert!(text.contains("| good | 1 of 1 | 8/10 80 % [49, 94] |"), "{text}");
        assert!(
            text.contains("| bad, really | incomplete | 1 | 1m 23s | — | 7 of 10 episodes, exit code 0 |"),
            "{text}"
        );
    }

    #[test]
    fn texts_are_no_markup() {
        assert_eq!(escape_cell("a|b <script>\n*x*"), "a\\|b \\<script\\> \\*x\\*");
    }
}
