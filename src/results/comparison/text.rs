//! The comparison as lines for the terminal.

use std::time::Duration;

use super::change::VerdictChange;
use super::compared::{Compared, ComparedCombo, ComparedRun};
use super::machines::{HEADS, MachineUse};
use super::metrics::{self, MetricAcross};
use super::pace::PaceComparison;
use super::{designs, paired_metrics};
use crate::model::logs::printable::{align_rows, to_printable};
use crate::model::units::{UNKNOWN, format_duration, or_unknown};
use crate::results::outcome::ShardOutcome;
use crate::results::rate_text::rate_text;
use crate::results::statistics::tested_difference::TestedDifference;
use crate::results::statistics::totals::Totals;

/// The runs, the table of combos, and what has changed.
pub fn render_comparison(compared: &Compared<'_>) -> String {
    let mut text: String = compared.sides.iter().map(format_run).collect();
    for side in &compared.sides {
        side.sameness.breaks.iter().for_each(|told| text.push_str(&format!("not the same sweep: {told}\n")));
        side.sameness.notes.iter().for_each(|told| text.push_str(&format!("note: {told}\n")));
    }
    text.push('\n');
    text.push_str(&render_machines(compared));
    text.push('\n');
    if compared.combos.is_empty() {
        text.push_str("no combo is in the first run and in another one\n");
    } else {
        text.push_str(&render_combos(compared));
    }
    if compared.alone > 0 {
        text.push_str(&format!(
            "left out, because there is nothing to hold them against: {} combos\n",
            compared.alone
        ));
    }
    text.push_str(&metrics_table(compared));
    text.push_str(&paired_metrics_table(compared));
    for (place, side) in compared.other_sides() {
        if let Some(above) = metrics::probability_above_first(compared, place) {
            let label = &side.label;
            text.push_str(&format!(
                "\nP({label} succeeds more often than A) = {:.1} % (Bayes, Beta(1, 1))\n",
                100.0 * above
            ));
        }
        let told = render_changes(compared, place, side);
        text.push_str(&told);
    }
    text
}

/// `A  h100_eval-…  finished  2026-11-20 09:00 UTC, commit 1a2b3c, 8 of 8 shards`.
fn format_run(side: &ComparedRun<'_>) -> String {
    let records = &side.findings.records;
    let totals = Totals::from_shards(side.findings.outcomes.iter());
    let success = side.findings.headline().map(|headline| format!("   success {}\n", headline.text()));
    let commit =
        records.info.git_commit.as_deref().map(|commit| format!(", commit {commit}")).unwrap_or_default();
    format!(
        "{}  {}  {}{}, {} of {} shards succeeded, started {} on {}{}\n{}",
        side.label,
        to_printable(&records.info.id.0),
        records.word.as_str(),
        if side.findings.is_provisional() { " (provisional)" } else { "" },
        totals.succeeded,
        totals.shards,
        records.info.created.strftime("%Y-%m-%d %H:%M UTC"),
        to_printable(&records.info.host),
        to_printable(&commit),
        success.unwrap_or_default(),
    )
}

/// Prints how each run used its machine.
fn render_machines(compared: &Compared<'_>) -> String {
    let head = std::iter::once(String::new()).chain(HEADS.iter().map(|head| head.to_uppercase()));
    let mut rows: Vec<Vec<String>> = vec![head.collect()];
    let uses: Vec<MachineUse> =
        compared.sides.iter().map(|side| MachineUse::from_findings(side.findings)).collect();
    for (side, machine) in compared.sides.iter().zip(&uses) {
        rows.push(std::iter::once(side.label.clone()).chain(machine.table_cells(&uses[0])).collect());
    }
    align_columns(rows)
}

fn render_combos(compared: &Compared<'_>) -> String {
    let mut header: Vec<String> = compared.axes.iter().map(|axis| axis.to_uppercase()).collect();
    header.extend(compared.sides.iter().map(|side| format!("SUCCESS {}", side.label)));
    header.extend(compared.other_sides().map(|(_, side)| format!("{} − A", side.label)));
    header.extend(compared.other_sides().map(|(_, side)| format!("TIME {}", side.label)));
    header.extend(compared.other_sides().map(|(_, side)| format!("PAIRS {}", side.label)));
    let mut rows = vec![header];
    rows.extend(compared.combos.iter().map(|combo| combo_row(compared, combo)));
    rows.push(overall_row(compared));
    let mut text = align_columns(rows);
    text.push_str(
        "intervals hold the truth in 95 of 100 cases: Wilson, for differences (in percentage points) Newcombe, of pairs Tango\n\
         * p ≤ .05 (Cochran-Mantel-Haenszel, of pairs McNemar; adjusted by Holm for all combos of this table)\n",
    );
    for note in designs::design_notes(compared) {
        text.push_str(&format!("{}\n", to_printable(&note)));
    }
    text
}

/// Metrics side by side; empty if no two runs share one.
fn metrics_table(compared: &Compared<'_>) -> String {
    let all = metrics::compare_metrics(compared);
    if all.is_empty() {
        return String::new();
    }
    let heads = metrics::table_heads(compared).iter().map(|head| head.to_uppercase()).collect();
    let rows = all.iter().take(metrics::MOST).map(MetricAcross::table_cells);
    let mut text = format!("\n{}", align_columns(std::iter::once(heads).chain(rows).collect()));
    text.push_str("mean ± standard deviation of the shards; P: how often a shard has more than one of A\n");
    if all.len() > metrics::MOST {
        text.push_str(&format!("{} more metrics are in --json\n", all.len() - metrics::MOST));
    }
    text
}

/// Returns the table of metrics of the same episodes; empty where no run reports one of an episode of the first.
fn paired_metrics_table(compared: &Compared<'_>) -> String {
    let rows = paired_metrics::metric_rows(compared);
    if rows.is_empty() {
        return String::new();
    }
    let heads = paired_metrics::HEADS.map(str::to_uppercase).to_vec();
    let rows = rows.into_iter().map(Vec::from);
    format!("\n{}{}\n", align_columns(std::iter::once(heads).chain(rows).collect()), paired_metrics::NOTE)
}

/// The rows with columns of one width.
fn align_columns(rows: Vec<Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|row| row.iter().map(|cell| to_printable(cell).into_owned()).collect())
        .collect();
    align_rows(&rows)
}

fn combo_row(compared: &Compared<'_>, combo: &ComparedCombo) -> Vec<String> {
    let mut row = combo.values.clone();
    row.extend(combo.cells.iter().map(|cell| or_unknown(cell.as_ref(), |group| rate_text(&group.totals))));
    let changes = || compared.other_sides().map(|(place, _)| compared.combo_change(combo, place));
    row.extend(changes().map(|change| format_difference(change.and_then(|change| change.tested))));
    row.extend(changes().map(|change| or_unknown(change.and_then(|change| change.pace), format_time_ratio)));
    row.extend(changes().map(|change| designs::design_cell(change.and_then(|change| change.tested))));
    row
}

/// The last line: the combos that are compared, put together.
fn overall_row(compared: &Compared<'_>) -> Vec<String> {
    let mut row: Vec<String> = compared.axes.iter().map(|_| String::new()).collect();
    if let Some(first) = row.first_mut() {
        "all, like with like".clone_into(first);
    }
    row.extend(compared.sides.iter().map(|_| String::new()));
    row.extend(
        compared.other_sides().map(|(place, _)| format_difference(compared.overall_difference(place))),
    );
    row.extend(compared.other_sides().map(|_| String::new()));
    row.extend(
        compared.other_sides().map(|(place, _)| designs::design_cell(compared.overall_difference(place))),
    );
    row
}

fn render_changes(compared: &Compared<'_>, place: usize, side: &ComparedRun<'_>) -> String {
    let (mut broken, mut fixed, mut still, mut slower) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for combo in &compared.combos {
        let Some(change) = compared.combo_change(combo, place) else { continue };
        match &change.turn {
            VerdictChange::Broken(shards) => {
                broken.extend(shards.iter().map(|shard| format_failure(combo, shard)))
            }
            VerdictChange::Fixed(shards) => {
                fixed.extend(shards.iter().map(|shard| format_failure(combo, shard)))
            }
            VerdictChange::StillFailing(shards) => {
                still.extend(shards.iter().map(|shard| format_failure(combo, shard)))
            }
            VerdictChange::None => {}
        }
        slower.extend(change.pace.filter(|pace| pace.is_slower()).map(|pace| (pace, combo)));
    }
    slower.sort_by(|(a, _), (b, _)| b.time_ratio().total_cmp(&a.time_ratio()));
    let slower = slower.into_iter().map(|(pace, combo)| {
        format!(
            "{}: {} instead of {} {}",
            combo.name(),
            format_seconds(pace.now),
            format_seconds(pace.before),
            pace.of.per_unit_text()
        )
    });
    let label = &side.label;
    [
        (format!("failed in {label}, not in A"), broken),
        (format!("failed in A, fixed in {label}"), fixed),
        (format!("failed in A and in {label}"), still),
        (format!("slower in {label} by 10 % or more"), slower.collect()),
    ]
    .into_iter()
    .filter(|(_, lines)| !lines.is_empty())
    .map(|(title, lines)| {
        let lines: String = lines.iter().map(|line| format!("  {}\n", to_printable(line))).collect();
        format!("\n{title}:\n{lines}")
    })
    .collect()
}

fn format_failure(combo: &ComparedCombo, shard: &ShardOutcome<'_>) -> String {
    let message = shard.message.map(|message| format!(", {message}")).unwrap_or_default();
    format!("{}: {}, {}{message}", combo.name(), shard.id(), shard.verdict())
}

/// `+3.1 (-1.0 to +7.2)`, with a star where chance alone hardly explains it.
pub fn format_difference(tested: Option<TestedDifference>) -> String {
    let Some(tested) = tested else { return UNKNOWN.to_owned() };
    let difference = tested.difference;
    let [value, low, high] =
        [difference.value, difference.low, difference.high].map(|number| 100.0 * number + 0.0);
    let star = if tested.is_told_apart() { " *" } else { "" };
    format!("{value:+.1} ({low:+.1} to {high:+.1}){star}").replace('-', "−")
}

/// Prints the ratio of times, such as `1.16×`.
pub fn format_time_ratio(pace: PaceComparison) -> String {
    format!("{:.2}×", pace.time_ratio())
}

/// A length of time; parts of short ones, because an episode may take less than a second.
pub fn format_seconds(seconds: f64) -> String {
    if seconds < 1.0 {
        format!("{:.0} ms", 1000.0 * seconds)
    } else if seconds < 60.0 {
        format!("{seconds:.1}s")
    } else {
        format_duration(Duration::from_secs_f64(seconds))
    }
}
