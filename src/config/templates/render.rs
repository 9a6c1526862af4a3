//! The command of one attempt, once its folder, its GPUs and its port are known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use minijinja::Environment;

use super::paths::{PathError, absolute_path, expand_home};
use super::script::{Body, build_script};
use super::service_values::{ServiceAddress, add_services};
use super::template::{Context, RenderTarget, render_template, template_environment, undeclared_names};
use super::variables::{PreviousFacts, StartFacts, add_start, of_shard};
use crate::model::ids::{AttemptNumber, GpuIndex};
use crate::model::results::result_file::ResultFile;
use crate::model::results::results_spec::{Merge, RowMeaning};
use crate::model::sweep::command_template::CommandTemplate;
use crate::model::sweep::plan::{MetricSource, MetricSpec, Plan, ShardSpec};
use crate::model::sweep::service::ServiceSpec;
use crate::model::sweep::shard_template::ShardTemplate;

/// Values that are known only when an attempt starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartValues {
    /// The run's folder, absolute.
    pub run_dir: PathBuf,
    /// The attempt's folder, absolute.
    pub attempt_dir: PathBuf,
    /// The attempt's own output folder, absolute.
    pub out: PathBuf,
    /// Number of the attempt, from 1 on.
    pub attempt: AttemptNumber,
    /// The GPUs it is given.
    pub gpus: Vec<GpuIndex>,
    /// Their UUIDs in the same order, where all are known; otherwise empty.
    pub gpu_uuids: Vec<String>,
    /// A free port, where the sweep uses one: see [`wants_port`].
    pub port: Option<u16>,
    /// The attempt whose work it continues; `None` if it starts from the beginning.
    pub previous: Option<PreviousAttempt>,
    /// The home folder, for `~`.
    pub home: Option<PathBuf>,
    /// The instances of services that it uses, by the names of the services; what is not known any more is left out.
    pub services: BTreeMap<String, ServiceAddress>,
}

/// The attempt whose work another one continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviousAttempt {
    /// Number of the previous attempt.
    pub attempt: AttemptNumber,
    /// Its output folder, absolute.
    pub out: PathBuf,
    /// How much was done in its end, where that is known.
    pub done: Option<u64>,
}

/// Command of an attempt, ready to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// Program and arguments, each as text.
    pub argv: Vec<String>,
    /// The text of `command.sh` in the attempt's folder, to be written before the start.
    pub script: Option<String>,
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// Variables on top of the inherited environment.
    pub env: BTreeMap<String, String>,
    /// Files that must exist in the end, absolute; may hold `*`.
    pub artifacts: Vec<String>,
    /// The file to which the program writes its progress, absolute; may hold `*`.
    pub progress_file: Option<String>,
    /// Files that are read in the end, each once.
    pub result_files: Vec<ResultFile>,
}

/// Why an attempt has no command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// A template fails with the values of the start.
    #[error("`{what}`: {message}")]
    Template {
        /// The key of the sweep.
        what: &'static str,
        /// Message of the template engine.
        message: String,
    },
    /// A path with `~`.
    #[error("`{what}`: {source}")]
    Path {
        /// The key of the sweep.
        what: &'static str,
        /// Reason that the path is unusable.
        source: PathError,
    },
    /// Commands and scripts are text.
    #[error("the path {0:?} is not valid UTF-8: choose another folder for the run")]
    NotText(PathBuf),
}

/// The file of the attempt's folder that holds the script.
pub const SCRIPT_FILE: &str = "command.sh";

/// The file of the attempt's folder that holds the number of the setup step that runs; it is there after the end
/// only if that step failed.
pub const SETUP_STEP_FILE: &str = "setup-step";

/// Renders everything an attempt needs.
pub fn render_attempt(plan: &Plan, shard: &ShardSpec, start: &StartValues) -> Result<Rendered, RenderError> {
    let page = AttemptRenderer {
        shell: template_environment(RenderTarget::Shell),
        direct: template_environment(RenderTarget::Direct),
        context: build_context(plan, shard, start)?,
    };
    let home = start.home.as_deref();
    let template = &plan.template;
    let cwd = absolute_path(&page.render_direct("cwd", &template.cwd)?, &plan.sweep_dir, home)
        .map_err(|source| RenderError::Path { what: "cwd", source })?;
    let path_of = |what, template: &String| {
        let path = absolute_path(&page.render_direct(what, template)?, &cwd, home)
            .map_err(|source| RenderError::Path { what, source })?;
        Ok(text_of(&path)?.to_owned())
    };
    let artifacts =
        template.artifacts.iter().map(|artifact| path_of("artifacts", artifact)).collect::<Result<_, _>>()?;
    let progress_file = plan.progress.file.as_ref().map(|file| path_of("file", file)).transpose()?;
    let result_files = result_files(plan, path_of)?;
    let (argv, script) = build_command(&page, template, start)?;
    let env = build_environment(&page, plan, shard, start)?;
    Ok(Rendered { argv, script, env, cwd, artifacts, progress_file, result_files })
}

/// The files of an attempt that are merged: a path for each template, which may hold `*`.
pub fn merge_files(plan: &Plan, shard: &ShardSpec, start: &StartValues) -> Result<Vec<String>, RenderError> {
    render_paths(plan, shard, start, "merge_file", &merge_templates(plan))
}

/// The files in which the values of a pack may be: those that are merged, read, or asked for.
pub fn value_files(plan: &Plan, shard: &ShardSpec, start: &StartValues) -> Result<Vec<String>, RenderError> {
    let named = plan.results.file.iter().chain(&plan.template.artifacts).cloned();
    let templates: Vec<String> = merge_templates(plan).into_iter().chain(named).collect();
    render_paths(plan, shard, start, "file", &templates)
}

/// The files that an attempt writes by the word of the sweep: all that are kept apart when it is read, and those that
/// are merged.
pub fn own_files(plan: &Plan, shard: &ShardSpec, start: &StartValues) -> Result<Vec<String>, RenderError> {
    let of_metric = |metric: &MetricSpec| match &metric.source {
        MetricSource::Log { .. } => None,
        MetricSource::File { file, .. } => Some(file.clone()),
    };
    let metrics = plan.metrics.iter().filter_map(of_metric);
    let templates: Vec<String> = metrics.chain(plan.progress.file.clone()).collect();
    let mut files = value_files(plan, shard, start)?;
    files.extend(render_paths(plan, shard, start, "file", &templates)?);
    Ok(files)
}

/// The files that an attempt had to write: a path for each template, which may hold `*`.
pub fn artifact_paths(
    plan: &Plan,
    shard: &ShardSpec,
    start: &StartValues,
) -> Result<Vec<String>, RenderError> {
    render_paths(plan, shard, start, "artifacts", &plan.template.artifacts)
}

/// Templates of paths, below the attempt's working directory where they are not absolute.
fn render_paths(
    plan: &Plan,
    shard: &ShardSpec,
    start: &StartValues,
    what: &'static str,
    templates: &[String],
) -> Result<Vec<String>, RenderError> {
    let direct = template_environment(RenderTarget::Direct);
    let page = AttemptRenderer {
        shell: template_environment(RenderTarget::Shell),
        direct,
        context: build_context(plan, shard, start)?,
    };
    let home = start.home.as_deref();
    let cwd = absolute_path(&page.render_direct("cwd", &plan.template.cwd)?, &plan.sweep_dir, home)
        .map_err(|source| RenderError::Path { what: "cwd", source })?;
    let path = |template: &String| {
        let path = absolute_path(&page.render_direct(what, template)?, &cwd, home)
            .map_err(|source| RenderError::Path { what, source })?;
        Ok(text_of(&path)?.to_owned())
    };
    templates.iter().map(path).collect()
}

/// Returns the files that the sweep names, or else those it has of the kind that is merged, or else those that such
/// programs usually write.
fn merge_templates(plan: &Plan) -> Vec<String> {
    let results = &plan.results;
    let (end, usual) = match results.merge {
        Merge::None => return Vec::new(),
        Merge::Lerobot => ("eval_info.json", "{{ out }}/**/eval_info.json"),
        Merge::Json => (".json", "{{ out }}/*.json"),
        Merge::Jsonl => (".jsonl", "{{ out }}/*.jsonl"),
        Merge::Csv => (".csv", "{{ out }}/*.csv"),
    };
    if let Some(file) = &results.merge_file {
        return vec![file.clone()];
    }
    let fits = |template: &&String| template.ends_with(end);
    if let Some(file) = results.file.as_ref().filter(fits) {
        return vec![file.clone()];
    }
    let artifacts: Vec<String> = plan.template.artifacts.iter().filter(fits).cloned().collect();
    if artifacts.is_empty() { vec![usual.to_owned()] } else { artifacts }
}

/// Whether any template uses `{{ port }}`, so that one must be found.
pub fn wants_port(plan: &Plan) -> bool {
    let environment = template_environment(RenderTarget::Direct);
    let template = &plan.template;
    let command = template.command.texts();
    let lists = [&template.setup, &template.artifacts].into_iter().flatten();
    let texts = command.iter().chain(lists).chain(template.env.values()).chain([&template.cwd]);
    let texts = texts.chain(&plan.progress.file);
    texts.into_iter().any(|text| {
        undeclared_names(&environment, text).is_ok_and(|names| names.iter().any(|name| name == "port"))
    })
}

/// The engines and values for the templates of one attempt.
struct AttemptRenderer {
    shell: Environment<'static>,
    direct: Environment<'static>,
    context: Context,
}

impl AttemptRenderer {
    fn render_shell(&self, what: &'static str, template: &str) -> Result<String, RenderError> {
        render_template(&self.shell, template, &self.context)
            .map_err(|fault| RenderError::Template { what, message: fault.message })
    }

    fn render_direct(&self, what: &'static str, template: &str) -> Result<String, RenderError> {
        render_template(&self.direct, template, &self.context)
            .map_err(|fault| RenderError::Template { what, message: fault.message })
    }
}

/// Lists the files that the sweep reads results from: each file once, with all that is wanted of it.
fn result_files(
    plan: &Plan,
    path_of: impl Fn(&'static str, &String) -> Result<String, RenderError>,
) -> Result<Vec<ResultFile>, RenderError> {
    let mut files: Vec<ResultFile> = Vec::new();
    let known = plan.results.file.iter().map(|file| (file, None));
    let of_metrics = plan.metrics.iter().filter_map(|metric| match &metric.source {
        MetricSource::Log { .. } => None,
        MetricSource::File { file, .. } => Some((file, Some(&metric.name))),
    });
    for (template, metric) in known.chain(of_metrics) {
        let pattern = path_of("file", template)?;
        let position = files.iter().position(|file| file.pattern == pattern).unwrap_or_else(|| {
            files.push(ResultFile { pattern, ..ResultFile::default() });
            files.len() - 1
        });
        match metric {
            Some(name) => files[position].metrics.push(name.clone()),
            None => files[position].known = true,
        }
    }
    if plan.results.rows == RowMeaning::Any {
        return Ok(files);
    }
    for template in merge_templates(plan) {
        let pattern = path_of("merge_file", &template)?;
        match files.iter_mut().find(|file| file.pattern == pattern) {
            Some(file) => file.merged = true,
            None => files.push(ResultFile { pattern, merged: true, ..ResultFile::default() }),
        }
    }
    Ok(files)
}

fn build_context(plan: &Plan, shard: &ShardSpec, start: &StartValues) -> Result<Context, RenderError> {
    let mut context = of_shard(&shard.values_in_force(), shard.slice.as_ref(), shard.pack.as_ref());
    context.insert("id".to_owned(), shard.id.as_str().into());
    let previous = start.previous.as_ref().map(|previous| {
        let out = text_of(&previous.out)?.to_owned();
        Ok(PreviousFacts { attempt: previous.attempt.0, out, done: previous.done })
    });
    let facts = StartFacts {
        attempt: start.attempt.0,
        out: text_of(&start.out)?.to_owned(),
        run_dir: text_of(&start.run_dir)?.to_owned(),
        gpus: &start.gpus,
        port: start.port,
        previous: previous.transpose()?,
    };
    add_start(&mut context, &facts, &plan.resources_of(shard));
    let address = |service: &ServiceSpec| {
        let known = start.services.get(&service.name).cloned();
        (service.name.clone(), known.unwrap_or_else(|| ServiceAddress::unknown(service)))
    };
    add_services(&mut context, plan.services.iter().map(address));
    Ok(context)
}

/// Program and arguments, and the script where there is one.
fn build_command(
    page: &AttemptRenderer,
    template: &ShardTemplate,
    start: &StartValues,
) -> Result<(Vec<String>, Option<String>), RenderError> {
    let mut setup = Vec::new();
    for step in &template.setup {
        setup.push(page.render_shell("setup", step)?);
    }
    let bash = || Ok(vec!["bash".to_owned(), text_of(&start.attempt_dir.join(SCRIPT_FILE))?.to_owned()]);
    let mark = start.attempt_dir.join(SETUP_STEP_FILE);
    match &template.command {
        CommandTemplate::Shell(text) => {
            let text = page.render_shell("command", text)?;
            Ok((bash()?, Some(build_script(&setup, &Body::Command(&text), &mark))))
        }
        CommandTemplate::Arguments(templates) => {
            let arguments = render_arguments(page, templates, start.home.as_deref())?;
            if setup.is_empty() {
                return Ok((arguments, None));
            }
            let argv = bash()?.into_iter().chain(arguments).collect();
            Ok((argv, Some(build_script(&setup, &Body::Arguments, &mark))))
        }
    }
}

/// The words of a list command; no shell is there to replace a leading `~/`.
fn render_arguments(
    page: &AttemptRenderer,
    templates: &[String],
    home: Option<&Path>,
) -> Result<Vec<String>, RenderError> {
    let mut arguments = Vec::new();
    for template in templates {
        let text = page.render_direct("command", template)?;
        if !text.starts_with("~/") {
            arguments.push(text);
            continue;
        }
        let path =
            expand_home(&text, home).map_err(|source| RenderError::Path { what: "command", source })?;
        arguments.push(text_of(&path)?.to_owned());
    }
    Ok(arguments)
}

/// The variables of the contract, and on top of them those of the sweep.
fn build_environment(
    page: &AttemptRenderer,
    plan: &Plan,
    shard: &ShardSpec,
    start: &StartValues,
) -> Result<BTreeMap<String, String>, RenderError> {
    let mut variables = BTreeMap::new();
    let mut set = |name: &str, value: String| variables.insert(name.to_owned(), value);
    set("SWEEPDECK_RUN", text_of(&start.run_dir)?.to_owned());
    set("SWEEPDECK_SHARD", shard.id.to_string());
    set("SWEEPDECK_ATTEMPT", start.attempt.to_string());
    set("PYTHONUNBUFFERED", "1".to_owned());
    set("CUDA_DEVICE_ORDER", "PCI_BUS_ID".to_owned());
    if let Some(first) = start.gpus.first() {
        let numbers: Vec<String> = start.gpus.iter().map(GpuIndex::to_string).collect();
        let named = start.gpu_uuids.len() == numbers.len();
        set("CUDA_VISIBLE_DEVICES", if named { &start.gpu_uuids } else { &numbers }.join(","));
        set("MUJOCO_EGL_DEVICE_ID", first.to_string());
    }
    if let Some(cpus) = plan.resources_of(shard).cpus {
        set("OMP_NUM_THREADS", cpus.to_string());
    }
    for (name, template) in &plan.template.env {
        set(name, page.render_direct("env", template)?);
    }
    for edit in &shard.edit.environment {
        set(&edit.name, page.render_direct("env", &edit.new)?);
    }
    Ok(variables)
}

fn text_of(path: &Path) -> Result<&str, RenderError> {
    path.to_str().ok_or_else(|| RenderError::NotText(path.to_owned()))
}

#[cfg(test)]
mod tests;
