//! What the templates of a sweep leave unused, or name in a way that nothing renders.

use regex::Regex;

use super::template::{RenderTarget, template_environment, undeclared_names};
use crate::model::sweep::plan::{MetricSource, Plan};
use crate::model::sweep::service::ServiceSpec;

/// A doubt about the templates, with what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// Description of the doubt, in one line.
    pub message: String,
    /// Advice on what to do about it.
    pub hint: String,
}

/// Axes and packs that change nothing of what is run, and `{axis}` with single braces.
pub fn find_doubts(plan: &Plan) -> Vec<Doubt> {
    let texts = template_texts(plan);
    let environment = template_environment(RenderTarget::Direct);
    let used: Vec<String> =
        texts.iter().filter_map(|text| undeclared_names(&environment, text).ok()).flatten().collect();
    // The id gives a program every value, and so does its variable.
    let is_told = texts.iter().any(|text| text.contains("SWEEPDECK_SHARD")) || is_used(&used, "id");
    let mut doubts = Vec::new();
    for axis in &plan.axes {
        if let Some(text) = texts.iter().find(|text| has_single_braces(text, axis)) {
            doubts.push(single_braces(axis, text));
        } else if !is_told && !is_used(&used, axis) {
            doubts.push(Doubt {
                message: format!(
                    "no template uses the axis `{axis}`: its values change nothing of what is run"
                ),
                hint: format!("write `{{{{ {axis} }}}}` in the command, or remove the axis"),
            });
        }
    }
    let pack = plan.shards.iter().find_map(|shard| shard.pack.as_ref());
    if let Some(pack) = pack.filter(|_| !is_told && !is_used(&used, "pack")) {
        doubts.push(Doubt {
            message: format!(
                "no template uses `pack`: the values of `{}` reach no process",
                pack.axis_name()
            ),
            hint: "write `{{ pack.values | join(\",\") }}` in the command".to_owned(),
        });
    }
    doubts
}

fn single_braces(axis: &str, text: &str) -> Doubt {
    let line = text.lines().find(|line| has_single_braces(line, axis)).unwrap_or(text).trim();
    Doubt {
        message: format!("`{{{axis}}}` is no template, and stays as it is in `{line}`"),
        hint: format!("write `{{{{ {axis} }}}}` for the value of the axis"),
    }
}

/// `{axis}`, and neither `{{axis}}` nor `${axis}`, which is a variable of the shell.
fn has_single_braces(text: &str, axis: &str) -> bool {
    let pattern = format!(r"(^|[^{{$])\{{\s*{}\s*\}}([^}}]|$)", regex::escape(axis));
    Regex::new(&pattern).is_ok_and(|pattern| pattern.is_match(text))
}

fn is_used(used: &[String], base: &str) -> bool {
    used.iter().any(|name| name.split('.').next() == Some(base))
}

/// Every template that changes what a shard does, gets or writes.
fn template_texts(plan: &Plan) -> Vec<&str> {
    let template = &plan.template;
    let command = template.command.texts();
    let lists = [command, &template.setup, &template.artifacts].into_iter().flatten();
    let files = plan.metrics.iter().filter_map(|metric| match &metric.source {
        MetricSource::Log { .. } => None,
        MetricSource::File { file, .. } => Some(file),
    });
    let results = [&plan.progress.file, &plan.results.file, &plan.results.merge_file].into_iter().flatten();
    let maps = template.env.values().chain(template.needs.values());
    let services = plan.services.iter().flat_map(of_service);
    lists
        .chain(maps)
        .chain(files)
        .chain(results)
        .chain([&template.cwd])
        .map(String::as_str)
        .chain(services)
        .collect()
}

fn of_service(service: &ServiceSpec) -> Vec<&str> {
    let template = &service.template;
    let command = template.command.texts();
    let lists = [command, &template.setup].into_iter().flatten();
    lists.chain(template.env.values()).chain([&template.cwd]).map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::plan::{PlanOrigin, read_plan};

    fn messages(source: &str) -> Vec<String> {
        let origin =
            PlanOrigin { file: "/sweeps/eval.toml".into(), home: None, cores: 2, ..PlanOrigin::default() };
        let plan = read_plan(source, &origin).unwrap_or_else(|problems| panic!("{problems}"));
        find_doubts(&plan).into_iter().map(|doubt| doubt.message).collect()
    }

    #[test]
    fn an_axis_without_a_template_is_doubted() {
        let sweep = |command: &str| format!("[matrix]\nn = [1, 2]\n[shard]\ncommand = '{command}'");
        assert_eq!(
            messages(&sweep("run")),
            ["no template uses the axis `n`: its values change nothing of what is run"]
        );
        for fine in ["run {{ n }}", "run {{ id }}", "run $SWEEPDECK_SHARD", "{% if n > 1 %}run{% endif %}"] {
            assert_eq!(messages(&sweep(fine)), [""; 0], "{fine}");
        }
        assert_eq!(
            messages(&sweep("run --n {n}")),
            ["`{n}` is no template, and stays as it is in `run --n {n}`"]
        );
        // A variable of the shell that happens to have the name of a used axis.
        assert_eq!(messages(&sweep("n={{ n }}; run ${n}")), [""; 0]);
    }

    #[test]
    fn resources_use_axes_too() {
        let sweep = "[matrix]\nn = [1, 2]\n[shard]\ncommand = 'run'\n[resources]\ncpus = '{{ n }}'";
        assert_eq!(messages(sweep), [""; 0]);
    }

    #[test]
    fn packs_that_reach_no_process_are_doubted() {
        let packed = "[matrix]\nn = [1, 2]\n[shard]\ncommand = 'run'\n[pack]\naxis = 'n'\nsize = 2";
        assert_eq!(messages(packed), ["no template uses `pack`: the values of `n` reach no process"]);
    }
}
