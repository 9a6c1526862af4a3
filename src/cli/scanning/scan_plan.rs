//! The input of `scan`: patterns of a sweep, or patterns from the command line, and which files it reads next
//! to the log.

use std::path::{Path, PathBuf};

use super::scan_args::ScanArgs;
use crate::cli::error::CliError;
use crate::cli::start::own_formats;
use crate::cli::start::sweep::Sweep;
use crate::config::sections::log_rules::find_preset;
use crate::model::logs::value_log::ValueLogSpec;
use crate::model::results::result_file::ResultFile;
use crate::model::sweep::plan::{MetricSource, MetricSpec, ProgressSpec, Reduce};
use crate::model::sweep::rule::RuleSpec;
use crate::progress::formats::presets::table::AUTO;

/// Patterns and files that `scan` looks for.
pub(in crate::cli) struct ScanPlan {
    pub(in crate::cli) progress: ProgressSpec,
    pub(in crate::cli) metrics: Vec<MetricSpec>,
    pub(in crate::cli) rules: Vec<RuleSpec>,
    pub(in crate::cli) values: ValueLogSpec,
    pub(in crate::cli) results: Vec<ResultFile>,
}

impl ScanPlan {
    /// Builds the plan that the words of the command line ask for.
    pub(in crate::cli) fn from_args(args: &ScanArgs) -> Result<Self, CliError> {
        let (mut progress, mut metrics, (rules, values), known) = match &args.sweep {
            Some(path) => {
                let plan = Sweep::open(path)?.plan;
                (plan.progress, plan.metrics, (plan.rules, plan.value_log), plan.results.file)
            }
            None => {
                let metrics = args.metric.iter().map(|(name, pattern)| own_metric(name, pattern)).collect();
                (own_progress(args), metrics, (Vec::new(), ValueLogSpec::default()), None)
            }
        };
        if args.sweep.is_none() {
            let formats = own_formats::read_formats();
            let own = find_preset(&progress.preset, &formats)
                .map_err(|(message, hint)| CliError::usage(format!("--preset: {message}: {hint}")))?;
            own.into_iter().for_each(|format| progress.freeze(format, &mut metrics));
        }
        let results = args.result.iter().map(|path| result_file(path, &metrics, known.as_deref()));
        let results = results.collect();
        Ok(Self { progress, metrics, rules, values, results })
    }
}

fn own_progress(args: &ScanArgs) -> ProgressSpec {
    ProgressSpec {
        done: args.done.clone(),
        finished: args.finished.clone(),
        ..ProgressSpec::of_preset(args.preset.as_deref().unwrap_or(AUTO))
    }
}

fn own_metric(name: &str, pattern: &str) -> MetricSpec {
    MetricSpec {
        name: name.to_owned(),
        source: MetricSource::Log { pattern: pattern.to_owned() },
        reduce: Reduce::Last,
        unit: None,
        scale: None,
    }
}

/// All that the sweep reads from a file of that name; a file that it does not read is taken for one of a known format.
fn result_file(path: &Path, metrics: &[MetricSpec], known: Option<&str>) -> ResultFile {
    let reads = |template: &str| is_named_by(path, template);
    let named = metrics.iter().filter_map(|metric| match &metric.source {
        MetricSource::Log { .. } => None,
        MetricSource::File { file, .. } => reads(file).then(|| metric.name.clone()),
    });
    let metrics: Vec<String> = named.collect();
    let known = known.is_some_and(reads) || metrics.is_empty();
    ResultFile {
        pattern: path.to_string_lossy().into_owned(),
        earlier: Vec::new(),
        known,
        metrics,
        merged: false,
    }
}

/// Reports whether the last part of a template fits the name of the file, with any text in place of the values.
fn is_named_by(path: &Path, template: &str) -> bool {
    let mut pattern = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        pattern.push_str(before);
        pattern.push('*');
        rest = after.split_once("}}").map_or("", |(_, rest)| rest);
    }
    pattern.push_str(rest);
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let (Some(pattern), Some(name)) = (name(&PathBuf::from(pattern)), name(path)) else { return false };
    glob::Pattern::new(&pattern).is_ok_and(|pattern| pattern.matches(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_the_last_part_of_its_template() {
        let fits = |name: &str, template: &str| is_named_by(Path::new(name), template);
        assert!(fits("old/eval_info.json", "{{ out }}/eval_info.json"));
        assert!(fits("friction_rough.jsonl", "{{ out }}/{{ env }}_{{ policy }}.jsonl"));
        assert!(fits("e.csv", "{{ out }}/*.csv"));
        assert!(!fits("e.json", "{{ out }}/*.csv"));
    }
}
