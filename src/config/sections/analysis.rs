//! `[analysis]`: how the results of a sweep are compared.

use toml::Spanned;
use toml::de::DeValue;

use crate::config::document::problem::{Problem, word_hint};
use crate::config::document::scalar::{scalar_value, type_name};
use crate::config::document::table::Table;
use crate::model::analysis::{AnalysisSpec, Pairing, StopRule};
use crate::model::value::Value;

/// Level of a comparison whose sweep gives none.
const USUAL_LEVEL: f64 = 0.05;

/// Reads `[analysis]` of a sweep with these axes, of which some may be packed.
pub(in crate::config) fn read_analysis(root: &Table<'_>, axes: &[String], packed: &[String]) -> AnalysisSpec {
    let table = root.get_table("analysis");
    let clusters = table.get("clusters").is_some().then(|| read_clusters(&table, axes));
    let words = [("by-seed", Pairing::BySeed), ("by-number", Pairing::ByNumber), ("never", Pairing::Never)];
    let paired = table.get_choice("paired", &words).unwrap_or_default();
    let stop = read_stop_rule(&table, axes, packed);
    table.report_unknown_keys();
    AnalysisSpec { clusters, paired, stop }
}

fn read_clusters(table: &Table<'_>, axes: &[String]) -> Vec<String> {
    let mut clusters: Vec<String> = Vec::new();
    for axis in table.get_strings("clusters") {
        let name = axis.get_ref();
        if !axes.contains(name) {
            let known: Vec<&str> = axes.iter().map(String::as_str).collect();
            let message = format!("`clusters` names `{name}`, which is no axis of `[matrix]`");
            table.sink().add(Problem::new(axis.span(), message).with_hint(word_hint(name, &known)));
        } else if !clusters.contains(name) {
            clusters.push(axis.into_inner());
        }
    }
    clusters
}

fn read_stop_rule(table: &Table<'_>, axes: &[String], packed: &[String]) -> Option<StopRule> {
    table.get("stop")?;
    let rule = table.get_table("stop");
    if !rule.exists() {
        return None;
    }
    let level = read_level(&rule);
    let compare = rule.get_string("compare");
    rule.report_unknown_keys();
    let Some(compare) = compare else {
        if rule.get("compare").is_none() {
            rule.report_missing(
                "compare",
                "the axis whose values are compared, such as `compare = \"policy\"`",
            );
        }
        return None;
    };
    let compare = known_axis(&rule, compare, axes, packed)?;
    Some(StopRule { compare, level: level? })
}

fn known_axis(
    table: &Table<'_>,
    axis: Spanned<String>,
    axes: &[String],
    packed: &[String],
) -> Option<String> {
    let is_packed = packed.contains(axis.get_ref());
    if axes.contains(axis.get_ref()) && !is_packed {
        return Some(axis.into_inner());
    }
    let (message, hint) = if is_packed {
        let message = format!("`compare` cannot be `{}`: a pack runs several of its values", axis.get_ref());
        (message, "compare another axis, or leave `[pack]` out".to_owned())
    } else {
        let names: Vec<&str> = axes.iter().map(String::as_str).collect();
        (format!("`compare`: there is no axis `{}`", axis.get_ref()), word_hint(axis.get_ref(), &names))
    };
    table.sink().add(Problem::new(axis.span(), message).with_hint(hint));
    None
}

/// A chance above 0 and below 1; above a half a coin would do as well.
fn read_level(table: &Table<'_>) -> Option<f64> {
    let Some(value) = table.get("level") else { return Some(USUAL_LEVEL) };
    let number = parse_number(value.get_ref());
    if let Some(level) = number.filter(|level| *level > 0.0 && *level <= 0.5) {
        return Some(level);
    }
    let message = match number {
        Some(level) => format!("`level` must be above 0 and at most 0.5, not {level}"),
        None => format!("`level` must be a number, not {}", type_name(value.get_ref())),
    };
    let hint = "it is the chance of a false decision, such as 0.05";
    table.sink().add(Problem::new(value.span(), message).with_hint(hint));
    None
}

fn parse_number(value: &DeValue<'_>) -> Option<f64> {
    match scalar_value(value)? {
        Value::Integer(number) => Some(number as f64),
        Value::Float(number) => Some(number),
        Value::Boolean(_) | Value::String(_) => None,
    }
}

#[cfg(test)]
mod tests;
