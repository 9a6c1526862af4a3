//! Success by combo: a matrix of rates with their intervals, the seeds and slices of a combo put together.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::escape::escape_markup;
use crate::results::axes;
use crate::results::findings::Findings;
use crate::results::scale::format_percent;
use crate::results::statistics::group::{self, ShardGroup};

/// More rows than this are for `summary.json`.
const MOST_ROWS: usize = 60;

/// The section: rows are combinations of all axes but the first, columns the values of the first.
pub fn render_section(findings: &Findings<'_>) -> String {
    let axes: Vec<&str> = axes::axes_of_interest(findings.records.plan);
    let groups = group::group_outcomes(&axes, &findings.outcomes, &findings.costs);
    let mut html = String::from("<section><h2>Success by combo</h2>\n");
    if !groups.iter().any(|group| group.totals.success_rate().is_some()) {
        html.push_str(
            "<p class=\"absent\">No ended shard has told how many of its episodes succeeded, so there are no rates to show.</p></section>\n",
        );
        return html;
    }
    let (first, others) = axes.split_first().map_or(("", &[][..]), |(first, others)| (*first, others));
    let mut columns: Vec<&str> = Vec::new();
    let mut rows: Vec<&[String]> = Vec::new();
    let mut cells: BTreeMap<(&[String], &str), &ShardGroup> = BTreeMap::new();
    for group in &groups {
        let (column, row) =
            group.values.split_first().map_or(("", &[][..]), |(value, rest)| (value.as_str(), rest));
        if !columns.contains(&column) {
            columns.push(column);
        }
        if rows.last() != Some(&row) && !rows.contains(&row) {
            rows.push(row);
        }
        cells.insert((row, column), group);
    }
    html.push_str(
        "<p>The part of the episodes that succeeded, with its 95 % interval (Wilson): the bar below each rate runs from 0 to \
         100 %, the band on it is the interval. Only shards that succeeded are counted, by episodes.</p>\n\
         <div class=\"wide\" tabindex=\"0\"><table class=\"matrix\"><thead><tr>",
    );
    for axis in others {
        let _ = write!(html, "<th>{}</th>", escape_markup(axis));
    }
    for column in &columns {
        let _ = write!(
            html,
            "<th scope=\"col\"><small>{}</small> {}</th>",
            escape_markup(first),
            escape_markup(column)
        );
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in rows.iter().take(MOST_ROWS) {
        html.push_str("<tr>");
        for value in *row {
            let _ = write!(html, "<th scope=\"row\">{}</th>", escape_markup(value));
        }
        for column in &columns {
            html.push_str(
                &cells
                    .get(&(*row, *column))
                    .map_or_else(|| "<td></td>".to_owned(), |group| render_cell(group)),
            );
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    if rows.len() > MOST_ROWS {
        let _ = write!(
            html,
            "<p>{} more rows are in <a href=\"summary.json\">summary.json</a>.</p>",
            rows.len() - MOST_ROWS
        );
    }
    html.push_str("</section>\n");
    html
}

fn render_cell(group: &ShardGroup) -> String {
    let (Some(rate), Some(interval)) = (group.totals.success_rate(), group.totals.success_interval()) else {
        let verdicts: Vec<String> =
            group.verdicts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
        return format!(
            "<td class=\"unknown\">— <small>{}</small></td>",
            escape_markup(&verdicts.join(", "))
        );
    };
    let (successes, episodes) = (group.totals.successes.unwrap_or(0.0), group.totals.episodes.unwrap_or(0.0));
    let (low, high) = (100.0 * interval.low, 100.0 * interval.high);
    let missing = group.totals.count_missing();
    let mut html = format!(
        "<td class=\"rate r{}\"><b>{}</b> <small>{low:.0}–{high:.0} %, {successes} of {episodes}</small>",
        (rate * 10.0).floor().min(9.0),
        format_percent(rate)
    );
    if missing > 0 {
        let _ = write!(
            html,
            " <small class=\"warn\">{missing} of {} shards missing</small>",
            group.totals.shards
        );
    }
    if let Some(words) = group.totals.early_stop().remark_text() {
        let _ = write!(html, " <small>{words}</small>");
    }
    let _ = write!(
        html,
        "<svg class=\"rule\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <path class=\"axis\" d=\"M0 4H100\"/><path class=\"span\" d=\"M{low:.1} 4H{high:.1}\"/>\
         <path class=\"at\" d=\"M{:.1} 0V8\"/></svg></td>",
        100.0 * rate
    );
    html
}
