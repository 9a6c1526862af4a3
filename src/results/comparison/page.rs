//! The comparison as one page that loads nothing, in the style of the report.

use std::fmt::Write;

use super::change::VerdictChange;
use super::compared::{Compared, ComparedCombo, ComparedRun};
use super::machines::{HEADS, MachineUse};
use super::picture::draw_differences;
use super::text::{format_difference, format_seconds, format_time_ratio};
use super::{designs, metrics, paired_metrics};
use crate::model::units::{UNKNOWN, or_unknown};
use crate::results::outcome::ShardOutcome;
use crate::results::rate_text::rate_text;
use crate::results::report::escape::escape_markup;
use crate::results::report::page::wrap_page;
use crate::results::report::text_table::render_text_table;
use crate::results::statistics::totals::Totals;

/// Returns the page as an HTML document.
pub fn render_comparison_page(compared: &Compared<'_>) -> String {
    let names: Vec<&str> =
        compared.sides.iter().map(|side| side.findings.records.info.id.0.as_str()).collect();
    let mut body = String::from("<header><h1>Comparison of runs</h1></header>\n");
    body.push_str(&render_runs(compared));
    body.push_str(&render_machines(compared));
    body.push_str(&render_combos(compared));
    body.push_str(&metrics_section(compared));
    body.push_str(&paired_metrics_section(compared));
    for (place, side) in compared.other_sides() {
        body.push_str(&against_first(compared, place, side));
    }
    let footer = "<footer><p>Intervals hold the truth in 95 of 100 cases: Wilson, for differences Newcombe, put together \
         with Mantel–Haenszel weights, and of pairs Tango. * p ≤ .05 by the test of Cochran, Mantel and Haenszel, of pairs by \
         McNemar's, adjusted by Holm's method for all combos of the table. Only shards that succeeded are counted. — stands \
         for what is not known.</p></footer>\n";
    wrap_page(&names.join(" · "), "", &body, footer)
}

fn render_runs(compared: &Compared<'_>) -> String {
    let mut html = String::from(
        "<section><h2>Runs</h2>\n<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th></th><th class=\"text\">run</th><th class=\"text\">state</th><th>shards</th>\
         <th>success</th><th>started</th><th>machine and commit</th></tr></thead><tbody>\n",
    );
    for side in &compared.sides {
        let records = &side.findings.records;
        let totals = Totals::from_shards(side.findings.outcomes.iter());
        let success = or_unknown(side.findings.headline(), |headline| headline.text());
        let commit = records.info.git_commit.as_deref().unwrap_or(UNKNOWN);
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\">{}</th><td class=\"text\">{}</td><td class=\"text\">{}</td><td>{} of {}</td><td>{}</td>\
             <td>{}</td><td class=\"text\">{}, {}</td></tr>",
            side.label,
            escape_markup(&records.info.id.0),
            records.word.as_str(),
            totals.succeeded,
            totals.shards,
            escape_markup(&success),
            records.info.created.strftime("%Y-%m-%d %H:%M UTC"),
            escape_markup(&records.info.host),
            escape_markup(commit)
        );
    }
    html.push_str("</tbody></table></div>\n");
    for side in &compared.sides {
        for told in &side.sameness.breaks {
            let _ = writeln!(html, "<p class=\"warn\">Not the same sweep: {}</p>", escape_markup(told));
        }
        for told in &side.sameness.notes {
            let _ = writeln!(html, "<p><small>Note: {}</small></p>", escape_markup(told));
        }
    }
    html.push_str("</section>\n");
    html
}

/// Draws the section on how each run used its machine.
fn render_machines(compared: &Compared<'_>) -> String {
    let mut html = String::from(
        "<section><h2>Machines</h2>\n<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th></th>",
    );
    HEADS.iter().for_each(|head| _ = write!(html, "<th>{}</th>", escape_markup(head)));
    html.push_str("</tr></thead><tbody>\n");
    let uses: Vec<MachineUse> =
        compared.sides.iter().map(|side| MachineUse::from_findings(side.findings)).collect();
    for (side, machine) in compared.sides.iter().zip(&uses) {
        let _ = write!(html, "<tr><th scope=\"row\">{}</th>", side.label);
        machine
            .table_cells(&uses[0])
            .iter()
            .for_each(|cell| _ = write!(html, "<td>{}</td>", escape_markup(cell)));
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n</section>\n");
    html
}

fn render_combos(compared: &Compared<'_>) -> String {
    let mut html = String::from("<section><h2>Combos</h2>\n");
    if compared.combos.is_empty() {
        html.push_str("<p class=\"absent\">No combo is in the first run and in another one.</p></section>\n");
        return html;
    }
    html.push_str("<div class=\"wide\" tabindex=\"0\"><table><thead><tr>");
    compared.axes.iter().for_each(|axis| _ = write!(html, "<th class=\"text\">{}</th>", escape_markup(axis)));
    let mut heads: Vec<String> = Vec::new();
    heads.extend(compared.sides.iter().map(|side| format!("success {}", side.label)));
    heads.extend(compared.other_sides().map(|(_, side)| format!("{} − A, points", side.label)));
    heads.extend(compared.other_sides().map(|(_, side)| format!("time {} / A", side.label)));
    heads.extend(compared.other_sides().map(|(_, side)| format!("pairs {} : A", side.label)));
    heads.iter().for_each(|head| _ = write!(html, "<th>{}</th>", escape_markup(head)));
    html.push_str("</tr></thead><tbody>\n");
    for combo in &compared.combos {
        write_combo_row(&mut html, compared, combo);
    }
    html.push_str("</tbody></table></div>\n");
    for note in designs::design_notes(compared) {
        let _ = writeln!(html, "<p><small>{}</small></p>", escape_markup(&note));
    }
    if compared.alone > 0 {
        let _ = writeln!(
            html,
            "<p>{} combos are left out: there is nothing to hold them against.</p>",
            compared.alone
        );
    }
    html.push_str("</section>\n");
    html
}

/// Metrics side by side; empty if no two runs share one.
fn metrics_section(compared: &Compared<'_>) -> String {
    let all = metrics::compare_metrics(compared);
    if all.is_empty() {
        return String::new();
    }
    let mut html = String::from(
        "<section><h2>Metrics</h2>\n<p>Mean ± standard deviation of the shards, median and mean of the middle half (IQM). P is how \
         often a shard of that run has more than one of A, in the mean over the combos; equal ones count half.</p>\n",
    );
    let rows = all.iter().take(metrics::MOST).map(|one| one.table_cells());
    html.push_str(&render_text_table(&metrics::table_heads(compared), rows));
    html.push_str("</section>\n");
    html
}

/// Returns the section on metrics of the same episodes; empty where no run reports one of an episode of the first.
fn paired_metrics_section(compared: &Compared<'_>) -> String {
    let rows = paired_metrics::metric_rows(compared);
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "<section><h2>Metrics of the same episodes</h2>\n<p>{}.</p>\n{}</section>\n",
        escape_markup(paired_metrics::NOTE),
        render_text_table(&paired_metrics::HEADS, rows)
    )
}

fn write_combo_row(html: &mut String, compared: &Compared<'_>, combo: &ComparedCombo) {
    html.push_str("<tr>");
    for value in &combo.values {
        let _ = write!(html, "<th scope=\"row\">{}</th>", escape_markup(value));
    }
    for cell in &combo.cells {
        let shown = or_unknown(cell.as_ref(), |group| rate_text(&group.totals));
        let _ = write!(html, "<td>{}</td>", escape_markup(&shown));
    }
    let changes = || compared.other_sides().map(|(place, _)| compared.combo_change(combo, place));
    for change in changes() {
        let _ = write!(html, "<td>{}</td>", format_difference(change.and_then(|change| change.tested)));
    }
    for pace in changes().map(|change| change.and_then(|change| change.pace)) {
        let class = if pace.is_some_and(|pace| pace.is_slower()) { " class=\"warn\"" } else { "" };
        let _ = write!(html, "<td{class}>{}</td>", or_unknown(pace, format_time_ratio));
    }
    for change in changes() {
        let _ = write!(html, "<td>{}</td>", designs::design_cell(change.and_then(|change| change.tested)));
    }
    html.push_str("</tr>\n");
}

fn against_first(compared: &Compared<'_>, place: usize, side: &ComparedRun<'_>) -> String {
    let label = &side.label;
    let mut html = format!("<section><h2>{label} against A</h2>\n");
    match draw_differences(compared, place) {
        Some(picture) => html.push_str(&picture),
        None => html.push_str("<p class=\"absent\">No combo has told its successes in both, so there is no difference to show.</p>\n"),
    }
    if let Some(above) = metrics::probability_above_first(compared, place) {
        let _ = writeln!(
            html,
            "<p>P({label} succeeds more often than A) = {:.1} % (Bayes, every rate as likely before).</p>",
            100.0 * above
        );
    }
    let mut lists: [(String, Vec<String>); 4] = [
        (format!("Failed in {label}, not in A"), Vec::new()),
        (format!("Failed in A, fixed in {label}"), Vec::new()),
        (format!("Failed in A and in {label}"), Vec::new()),
        (format!("Slower in {label} by 10 % or more"), Vec::new()),
    ];
    for combo in &compared.combos {
        let Some(change) = compared.combo_change(combo, place) else { continue };
        match &change.turn {
            VerdictChange::Broken(shards) => {
                lists[0].1.extend(shards.iter().map(|shard| render_failure(combo, shard)))
            }
            VerdictChange::Fixed(shards) => {
                lists[1].1.extend(shards.iter().map(|shard| render_failure(combo, shard)))
            }
            VerdictChange::StillFailing(shards) => {
                lists[2].1.extend(shards.iter().map(|shard| render_failure(combo, shard)))
            }
            VerdictChange::None => {}
        }
        lists[3].1.extend(change.pace.filter(|pace| pace.is_slower()).map(|pace| {
            let (now, before, work) =
                (format_seconds(pace.now), format_seconds(pace.before), pace.of.per_unit_text());
            format!("<b>{}</b> {now} instead of {before} {work}", escape_markup(&combo.name()))
        }));
    }
    for (title, lines) in lists.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        let _ = writeln!(html, "<h3>{title}</h3>\n<ul>");
        lines.iter().for_each(|line| _ = writeln!(html, "<li>{line}</li>"));
        html.push_str("</ul>\n");
    }
    html.push_str("</section>\n");
    html
}

fn render_failure(combo: &ComparedCombo, shard: &ShardOutcome<'_>) -> String {
    let message = shard.message.map(|message| format!(", {}", escape_markup(message))).unwrap_or_default();
    format!(
        "<b>{}</b> {}, {}{message}",
        escape_markup(&combo.name()),
        escape_markup(shard.id().as_str()),
        shard.verdict()
    )
}
