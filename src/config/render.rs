//! The command of one attempt, once its folder, its GPUs and its port are known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use minijinja::Environment;

use super::paths::{PathError, absolute, expand_home};
use super::script::{Body, script};
use super::template::{Context, Reader, environment, names, render};
use super::variables::{ProgramPath, StartFacts, add_start, of_shard};
use crate::model::ids::{AttemptNumber, GpuIndex};
use crate::model::plan::{CommandTemplate, Plan, ShardSpec, ShardTemplate};

/// What is known only when an attempt starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartValues {
    /// The run's folder, absolute.
    pub run_dir: PathBuf,
    /// The attempt's folder, absolute.
    pub attempt_dir: PathBuf,
    /// The attempt's own output folder, absolute.
    pub out: PathBuf,
    /// Which try.
    pub attempt: AttemptNumber,
    /// The GPUs it is given.
    pub gpus: Vec<GpuIndex>,
    /// Their UUIDs in the same order, where all are known; otherwise empty.
    pub gpu_uuids: Vec<String>,
    /// A free port, where the sweep uses one: see [`wants_port`].
    pub port: Option<u16>,
    /// The home folder, for `~`.
    pub home: Option<PathBuf>,
}

/// What is to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// The text of `command.sh` in the attempt's folder, to be written before the start.
    pub script: Option<String>,
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// Variables on top of the inherited environment.
    pub env: BTreeMap<String, String>,
    /// Files that must exist in the end, absolute; may hold `*`.
    pub artifacts: Vec<String>,
}

/// Why an attempt has no command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// A template fails with the values of the start.
    #[error("`{what}`: {message}")]
    Template {
        /// The key of the sweep.
        what: &'static str,
        /// What the engine says.
        message: String,
    },
    /// A path with `~`.
    #[error("`{what}`: {source}")]
    Path {
        /// The key of the sweep.
        what: &'static str,
        /// Why.
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
pub fn attempt(plan: &Plan, shard: &ShardSpec, start: &StartValues) -> Result<Rendered, RenderError> {
    let page = Page {
        shell: environment(Reader::Shell),
        direct: environment(Reader::Direct),
        context: context(plan, shard, start)?,
    };
    let home = start.home.as_deref();
    let template = &plan.template;
    let cwd = absolute(&page.direct("cwd", &template.cwd)?, &plan.sweep_dir, home)
        .map_err(|source| RenderError::Path { what: "cwd", source })?;
    let mut artifacts = Vec::new();
    for artifact in &template.artifacts {
        let path = absolute(&page.direct("artifacts", artifact)?, &cwd, home)
            .map_err(|source| RenderError::Path { what: "artifacts", source })?;
        artifacts.push(text_of(&path)?.to_owned());
    }
    let (argv, script) = command(&page, template, start)?;
    Ok(Rendered { argv, script, env: variables(&page, plan, shard, start)?, cwd, artifacts })
}

/// The command after the last shard, for `bash -c` in the folder of the sweep.
pub fn reporter(plan: &Plan, run_dir: &Path) -> Result<Option<String>, RenderError> {
    let Some(template) = &plan.results.reporter else { return Ok(None) };
    let path = ProgramPath(text_of(run_dir)?.to_owned());
    let context = Context::from([("run_dir".to_owned(), minijinja::Value::from_object(path))]);
    render(&environment(Reader::Shell), template, &context)
        .map(Some)
        .map_err(|fault| RenderError::Template { what: "reporter", message: fault.message })
}

/// Whether any template uses `{{ port }}`, so that one must be found.
pub fn wants_port(plan: &Plan) -> bool {
    let environment = environment(Reader::Direct);
    let template = &plan.template;
    let command = match &template.command {
        CommandTemplate::Shell(text) => std::slice::from_ref(text),
        CommandTemplate::Arguments(arguments) => arguments,
    };
    let lists = [&template.setup, &template.artifacts].into_iter().flatten();
    let texts = command.iter().chain(lists).chain(template.env.values()).chain([&template.cwd]);
    texts
        .into_iter()
        .any(|text| names(&environment, text).is_ok_and(|names| names.iter().any(|name| name == "port")))
}

/// The engines and values for the templates of one attempt.
struct Page {
    shell: Environment<'static>,
    direct: Environment<'static>,
    context: Context,
}

impl Page {
    fn shell(&self, what: &'static str, template: &str) -> Result<String, RenderError> {
        render(&self.shell, template, &self.context)
            .map_err(|fault| RenderError::Template { what, message: fault.message })
    }

    fn direct(&self, what: &'static str, template: &str) -> Result<String, RenderError> {
        render(&self.direct, template, &self.context)
            .map_err(|fault| RenderError::Template { what, message: fault.message })
    }
}

fn context(plan: &Plan, shard: &ShardSpec, start: &StartValues) -> Result<Context, RenderError> {
    let mut context = of_shard(&shard.vars, shard.slice.as_ref(), shard.pack.as_ref());
    context.insert("id".to_owned(), shard.id.as_str().into());
    let facts = StartFacts {
        attempt: start.attempt.0,
        out: text_of(&start.out)?.to_owned(),
        run_dir: text_of(&start.run_dir)?.to_owned(),
        gpus: &start.gpus,
        port: start.port,
    };
    add_start(&mut context, &facts, &plan.resources);
    Ok(context)
}

/// Program and arguments, and the script where there is one.
fn command(
    page: &Page,
    template: &ShardTemplate,
    start: &StartValues,
) -> Result<(Vec<String>, Option<String>), RenderError> {
    let mut setup = Vec::new();
    for step in &template.setup {
        setup.push(page.shell("setup", step)?);
    }
    let bash = || Ok(vec!["bash".to_owned(), text_of(&start.attempt_dir.join(SCRIPT_FILE))?.to_owned()]);
    let mark = start.attempt_dir.join(SETUP_STEP_FILE);
    match &template.command {
        CommandTemplate::Shell(text) => {
            let text = page.shell("command", text)?;
            Ok((bash()?, Some(script(&setup, &Body::Command(&text), &mark))))
        }
        CommandTemplate::Arguments(templates) => {
            let arguments = arguments(page, templates, start.home.as_deref())?;
            if setup.is_empty() {
                return Ok((arguments, None));
            }
            let argv = bash()?.into_iter().chain(arguments).collect();
            Ok((argv, Some(script(&setup, &Body::Arguments, &mark))))
        }
    }
}

/// The words of a list command; no shell is there to replace a leading `~/`.
fn arguments(page: &Page, templates: &[String], home: Option<&Path>) -> Result<Vec<String>, RenderError> {
    let mut arguments = Vec::new();
    for template in templates {
        let text = page.direct("command", template)?;
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
fn variables(
    page: &Page,
    plan: &Plan,
    shard: &ShardSpec,
    start: &StartValues,
) -> Result<BTreeMap<String, String>, RenderError> {
    let mut variables = BTreeMap::new();
    let mut set = |name: &str, value: String| variables.insert(name.to_owned(), value);
    set("EVALDECK_RUN", text_of(&start.run_dir)?.to_owned());
    set("EVALDECK_SHARD", shard.id.to_string());
    set("EVALDECK_ATTEMPT", start.attempt.to_string());
    set("PYTHONUNBUFFERED", "1".to_owned());
    set("CUDA_DEVICE_ORDER", "PCI_BUS_ID".to_owned());
    if let Some(first) = start.gpus.first() {
        let numbers: Vec<String> = start.gpus.iter().map(GpuIndex::to_string).collect();
        let named = start.gpu_uuids.len() == numbers.len();
        set("CUDA_VISIBLE_DEVICES", if named { &start.gpu_uuids } else { &numbers }.join(","));
        set("MUJOCO_EGL_DEVICE_ID", first.to_string());
    }
    if let Some(cpus) = plan.resources.cpus {
        set("OMP_NUM_THREADS", cpus.to_string());
    }
    for (name, template) in &plan.template.env {
        set(name, page.direct("env", template)?);
    }
    Ok(variables)
}

fn text_of(path: &Path) -> Result<&str, RenderError> {
    path.to_str().ok_or_else(|| RenderError::NotText(path.to_owned()))
}
