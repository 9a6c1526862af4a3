//! The values of packs, each with how it ended and the evidence of files and logs; those without a result
//! first.

use std::collections::BTreeSet;

use minijinja::Value;

use super::template::{Section, values};
use crate::model::units::or_unknown;
use crate::results::findings::Findings;
use crate::results::pack_values::{PackValue, ValueEnd};

/// More rows than this are in `pack_values.csv`.
const MOST: usize = 120;

/// More columns of metrics, too.
const MOST_METRICS: usize = 6;

/// Returns the section; `None` if there are no packs.
pub fn render_section(findings: &Findings<'_>) -> Option<Section> {
    let values = &findings.pack_values;
    let first = values.first()?;
    let ends = ValueEnd::ALL.map(|end| {
        let count = values.iter().filter(|value| value.end == end).count();
        (end_class(end), count, end.as_str())
    });
    let names: BTreeSet<&str> =
        values.iter().flat_map(|value| value.metrics.keys().map(String::as_str)).collect();
    let names: Vec<&str> = names.into_iter().take(MOST_METRICS).collect();
    let mut rows: Vec<&PackValue> = values.iter().collect();
    rows.sort_by_key(|value| value.end == ValueEnd::Succeeded);
    let values = values! {
        axis => first.axis, ends, metrics => names,
        rows => rows.iter().take(MOST).map(|value| describe_value(value, &names)).collect::<Vec<_>>(),
        more => rows.len().saturating_sub(MOST),
    };
    Some(Section::new("Values of packs", "packs", values))
}

fn describe_value(value: &PackValue, names: &[&str]) -> Value {
    let combo: Vec<String> = value.vars.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let done = or_unknown(value.progress, |progress| match progress.total {
        Some(total) => format!("{} of {total}", progress.done),
        None => progress.done.to_string(),
    });
    values! {
        value => value.value, combo => combo.join(", "), shard => value.shard.as_str(), class => end_class(value.end),
        end => value.end.as_str(), done, metrics => names.iter().map(|name| value.metrics.get(*name)).collect::<Vec<_>>(),
    }
}

fn end_class(end: ValueEnd) -> &'static str {
    match end {
        ValueEnd::Succeeded => "ok",
        ValueEnd::Failed | ValueEnd::Missing => "bad",
        ValueEnd::Unfinished => "off",
        ValueEnd::Open => "run",
    }
}
