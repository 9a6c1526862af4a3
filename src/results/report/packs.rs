//! The values of packs, each with how it ended and the evidence of files and logs; those without a result
//! first.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::escape::escape_markup;
use crate::model::units::or_unknown;
use crate::results::findings::Findings;
use crate::results::pack_values::{PackValue, ValueEnd};
use crate::results::scale::format_short;

/// More rows than this are in `pack_values.csv`.
const MOST: usize = 120;

/// More columns of metrics, too.
const MOST_METRICS: usize = 6;

/// The section; empty if there are no packs.
pub fn render_section(findings: &Findings<'_>) -> String {
    let values = &findings.pack_values;
    let Some(first) = values.first() else { return String::new() };
    let mut html = String::from("<section><h2>Values of packs</h2>\n<p>");
    for end in ValueEnd::ALL {
        let count = values.iter().filter(|value| value.end == end).count();
        if count > 0 {
            let _ = write!(html, "<span class=\"badge {}\">{count} {}</span> ", end_class(end), end.as_str());
        }
    }
    let names: BTreeSet<&str> =
        values.iter().flat_map(|value| value.metrics.keys().map(String::as_str)).collect();
    let names: Vec<&str> = names.into_iter().take(MOST_METRICS).collect();
    let _ = write!(
        html,
        "</p>\n<div class=\"wide\" tabindex=\"0\"><table class=\"values sortable\"><thead><tr><th>{}</th><th class=\"text\">combo</th><th class=\"text\">shard</th>\
         <th class=\"text\">end</th><th>done</th>",
        escape_markup(&first.axis)
    );
    for name in &names {
        let _ = write!(html, "<th>{}</th>", escape_markup(name));
    }
    html.push_str("</tr></thead><tbody>\n");
    let mut rows: Vec<&PackValue> = values.iter().collect();
    rows.sort_by_key(|value| value.end == ValueEnd::Succeeded);
    for value in rows.iter().take(MOST) {
        write_value_row(&mut html, value, &names);
    }
    html.push_str("</tbody></table></div>\n<p>");
    if rows.len() > MOST {
        let _ = write!(html, "{} more values and all", rows.len() - MOST);
    } else {
        html.push_str("All");
    }
    html.push_str(" numbers are in <a href=\"pack_values.csv\">pack_values.csv</a>.</p></section>\n");
    html
}

fn write_value_row(html: &mut String, value: &PackValue, names: &[&str]) {
    let combo: Vec<String> = value.vars.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let done = or_unknown(value.progress, |progress| match progress.total {
        Some(total) => format!("{} of {total}", progress.done),
        None => progress.done.to_string(),
    });
    let _ = write!(
        html,
        "<tr><th scope=\"row\">{}</th><td class=\"text\">{}</td><td class=\"text\">{}</td>\
         <td class=\"text\"><span class=\"badge {}\">{}</span></td><td>{done}</td>",
        escape_markup(&value.value),
        escape_markup(&combo.join(", ")),
        escape_markup(value.shard.as_str()),
        end_class(value.end),
        value.end.as_str()
    );
    for name in names {
        let number = or_unknown(value.metrics.get(*name), |number| format_short(*number));
        let _ = write!(html, "<td>{number}</td>");
    }
    html.push_str("</tr>\n");
}

fn end_class(end: ValueEnd) -> &'static str {
    match end {
        ValueEnd::Succeeded => "ok",
        ValueEnd::Failed | ValueEnd::Missing => "bad",
        ValueEnd::Unfinished => "off",
        ValueEnd::Open => "run",
    }
}
