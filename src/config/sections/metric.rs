//! `[[metric]]`: numbers that a sweep reads from its logs or from files that its shards write.

use toml::Spanned;

use super::log_rules::{read_pattern, read_progress, required_text};
use crate::config::document::problem::Problem;
use crate::config::document::scalar::{scalar_value, type_name};
use crate::config::document::table::Table;
use crate::config::templates::shard::{TemplateField, TemplateRole};
use crate::model::key_path::KeyPath;
use crate::model::logs::log_format::OwnFormats;
use crate::model::sweep::plan::{MetricSource, MetricSpec, ProgressSpec, Reduce};
use crate::model::value::Value;

const REDUCTIONS: [(&str, Reduce); 7] = [
    ("last", Reduce::Last),
    ("first", Reduce::First),
    ("mean", Reduce::Mean),
    ("min", Reduce::Min),
    ("max", Reduce::Max),
    ("sum", Reduce::Sum),
    ("count", Reduce::Count),
];

/// Hint for a metric that has both sources.
const TWO_SOURCES: &str = "write two `[[metric]]` of this name: the value of the file is kept, and the one of the log compared with it";

/// Reads what a sweep says about reading its logs, with what a format of the user's own adds to it.
pub(in crate::config) fn read_progress_and_metrics(
    root: &Table<'_>,
    formats: &OwnFormats,
    fields: &mut Vec<TemplateField>,
) -> (ProgressSpec, Vec<MetricSpec>) {
    let (mut progress, file) = read_progress(root, formats);
    fields.extend(file);
    let mut metrics = read_metrics(root, fields);
    if let Some(Ok(format)) = formats.get(&progress.preset) {
        progress.freeze(format, &mut metrics);
    }
    (progress, metrics)
}

/// Reads each `[[metric]]`; the files they name join the other templates.
fn read_metrics(root: &Table<'_>, fields: &mut Vec<TemplateField>) -> Vec<MetricSpec> {
    let mut metrics: Vec<MetricSpec> = Vec::new();
    for table in root.get_tables("metric") {
        let Some(metric) = read_metric(&table, fields) else { continue };
        let is_file = |metric: &MetricSpec| matches!(metric.source, MetricSource::File { .. });
        let same = |other: &&MetricSpec| other.name == metric.name && is_file(other) == is_file(&metric);
        if metrics.iter().any(|other| same(&other)) {
            let message = format!("there is a metric `{}` already", metric.name);
            table.sink().add(Problem::new(table.span(), message).with_hint("choose another `name`"));
        }
        metrics.push(metric);
    }
    metrics
}

fn read_metric(table: &Table<'_>, fields: &mut Vec<TemplateField>) -> Option<MetricSpec> {
    let name = required_text(table, "name", "it is the column of the results");
    let given = table.get_choice("reduce", &REDUCTIONS);
    let reduce = given.unwrap_or(Reduce::Last);
    let source = match (table.get("pattern").is_some(), table.get("file")) {
        (_, Some(_)) => of_file(table, fields),
        (true, None) => of_log(table, reduce),
        (false, None) => {
            let hint = "such as `pattern = 'reward: (?<value>[-0-9.]+)'` for a line of the log; or `file` and `key`, for a file of results";
            table.report_missing("pattern` or `file", hint);
            table.get("key");
            None
        }
    };
    if let Some(MetricSource::File { key, .. }) = &source
        && key.is_many()
        && table.get("reduce").is_none()
    {
        let hint = "add `reduce = \"mean\"`, which makes a rate of true and false, or another of `sum`, `count`, `min`, \
                    `max`, `first` and `last`";
        let message =
            format!("`{key}` may lead to several values, and `reduce` does not say what becomes of them");
        table.sink().add(Problem::new(span_of(table, "key"), message).with_hint(hint));
    }
    let scale = read_scale(table, reduce);
    let unit = table.get_string("unit").map(Spanned::into_inner);
    table.report_unknown_keys();
    let name = name.filter(|name| !name.is_empty())?;
    Some(MetricSpec { name, source: source?, reduce, unit, scale })
}

fn of_log(table: &Table<'_>, reduce: Reduce) -> Option<MetricSource> {
    if table.get("key").is_some() {
        let hint = "name the file with `file`, or leave `key` out";
        let message = "`key` looks into a file, and this metric is read from the log";
        table.sink().add(Problem::new(span_of(table, "key"), message).with_hint(hint));
    }
    // Lines can be counted without a number in them.
    let group = (reduce != Reduce::Count).then_some("value");
    Some(MetricSource::Log { pattern: read_pattern(table, "pattern", group)? })
}

fn of_file(table: &Table<'_>, fields: &mut Vec<TemplateField>) -> Option<MetricSource> {
    if table.get("pattern").is_some() {
        let message = "a metric has one source: `pattern` reads the log, `file` reads a file";
        table.sink().add(Problem::new(span_of(table, "file"), message).with_hint(TWO_SOURCES));
    }
    let file = table.get_string("file");
    let Some(key) = table.get("key").and_then(|_| table.get_string("key")) else {
        if table.get("key").is_none() {
            table.report_missing(
                "key",
                "where the value stands in the file, such as `overall.pc_success`, or a column",
            );
        }
        return None;
    };
    let parsed: Result<KeyPath, _> = key.get_ref().parse();
    let key = parsed.map_err(|error| {
        let hint =
            "names with dots between them, such as `overall.pc_success` or `per_task[].metrics.successes[]`";
        table.sink().add(Problem::new(key.span(), format!("`key` {error}")).with_hint(hint));
    });
    let file = file?;
    let template = file.get_ref().clone();
    fields.push(TemplateField { role: TemplateRole::ResultFile, text: file });
    Some(MetricSource::File { file: template, key: key.ok()? })
}

fn read_scale(table: &Table<'_>, reduce: Reduce) -> Option<f64> {
    let value = table.get("scale")?;
    let factor = match scalar_value(value.get_ref()) {
        Some(Value::Integer(number)) => Some(number as f64),
        Some(Value::Float(number)) => Some(number),
        Some(Value::Boolean(_) | Value::String(_)) | None => None,
    };
    let problem = match factor {
        None => format!("`scale` must be a number, not {}", type_name(value.get_ref())),
        Some(0.0) => "`scale` makes 0 of every value".to_owned(),
        Some(_) if reduce == Reduce::Count => "`scale` changes nothing where values are counted".to_owned(),
        Some(_) => return factor,
    };
    let hint = "each value is multiplied by it: `0.01` makes a share of a percentage";
    table.sink().add(Problem::new(value.span(), problem).with_hint(hint));
    None
}

fn span_of(table: &Table<'_>, key: &'static str) -> std::ops::Range<usize> {
    table.get(key).map_or_else(|| table.span(), Spanned::span)
}
