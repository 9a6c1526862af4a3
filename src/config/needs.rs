//! Resources that differ by combo: templates in `[resources]` and `[schedule]`, rendered for every shard.

use std::collections::BTreeMap;
use std::time::Duration;

use minijinja::Value;
use toml::Spanned;

use crate::config::document::problem::Problem;
use crate::config::document::table::{Sink, Table, parse_vram};
use crate::config::expand::{Draft, format_variables};
use crate::config::templates::names::problem_of;
use crate::config::templates::render::RenderError;
use crate::config::templates::shard::{TemplateField, TemplateRole};
use crate::config::templates::template::{
    RenderTarget, fault_from_error, render_template, template_environment,
};
use crate::config::templates::variables;
use crate::model::needs::own_needs::OwnNeeds;
use crate::model::needs::resources::{ComponentNeed, GpuNeed, Resources, VramNeed};
use crate::model::sweep::plan::{Plan, ShardSpec};
use crate::model::units::{Bytes, parse_duration};

/// More are a slip of the keyboard.
pub(in crate::config) const MOST_GPUS: u32 = 1024;

/// The keys that may be a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::config) enum NeedKey {
    Gpus,
    Vram,
    Ram,
    Cpus,
    Exclusive,
    Timeout,
    /// GPUs of a component.
    ComponentGpus(String),
    /// VRAM of a component.
    ComponentVram(String),
    /// Whether a component is on the same GPUs as the other shared ones.
    ComponentShared(String),
}

impl NeedKey {
    /// The key of that path; `None` for what no version has written.
    fn from_path(path: &str) -> Option<Self> {
        match path.rsplit_once('.') {
            None => match path {
                "gpus" => Some(Self::Gpus),
                "vram" => Some(Self::Vram),
                "ram" => Some(Self::Ram),
                "cpus" => Some(Self::Cpus),
                "exclusive" => Some(Self::Exclusive),
                "timeout" => Some(Self::Timeout),
                _unknown => None,
            },
            Some((name, "gpus")) => Some(Self::ComponentGpus(name.to_owned())),
            Some((name, "vram")) => Some(Self::ComponentVram(name.to_owned())),
            Some((name, "shared")) => Some(Self::ComponentShared(name.to_owned())),
            Some(_) => None,
        }
    }

    /// The key as the sweep has it, after the name of its component.
    fn path(&self) -> String {
        match self {
            Self::Gpus => "gpus".to_owned(),
            Self::Vram => "vram".to_owned(),
            Self::Ram => "ram".to_owned(),
            Self::Cpus => "cpus".to_owned(),
            Self::Exclusive => "exclusive".to_owned(),
            Self::Timeout => "timeout".to_owned(),
            Self::ComponentGpus(name) => format!("{name}.gpus"),
            Self::ComponentVram(name) => format!("{name}.vram"),
            Self::ComponentShared(name) => format!("{name}.shared"),
        }
    }
}

/// The templates of a sweep, with their places.
#[derive(Debug, Default)]
pub(in crate::config) struct NeedTemplates(Vec<(NeedKey, TemplateField)>);

impl NeedTemplates {
    /// Takes the value of `key` if it is a template. Whether it was: such a key has no value for all shards.
    pub(in crate::config) fn take_template(
        &mut self,
        table: &Table<'_>,
        key: &'static str,
        meaning: NeedKey,
    ) -> bool {
        let Some(text) = table.get_template(key) else { return false };
        self.0.push((meaning, TemplateField { role: TemplateRole::Need, text }));
        true
    }

    pub(in crate::config) fn fields(&self) -> impl Iterator<Item = &TemplateField> {
        self.0.iter().map(|(_, field)| field)
    }

    /// The templates by their keys, for the plan.
    pub(in crate::config) fn texts(&self) -> BTreeMap<String, String> {
        self.0.iter().map(|(key, field)| (key.path(), field.text.get_ref().clone())).collect()
    }

    /// Renders what each shard needs; a result that is not a valid value is a problem, and each key gets only one.
    pub(in crate::config) fn render_needs(
        &self,
        drafts: &[Draft],
        resources: &Resources,
        document: &str,
        sink: &Sink,
    ) -> Vec<OwnNeeds> {
        let mut needs = vec![OwnNeeds::default(); drafts.len()];
        for (key, TemplateField { text, .. }) in &self.0 {
            let environment = template_environment(RenderTarget::Direct);
            let Ok(template) = environment.template_from_str(text.get_ref()) else { continue };
            let mut failures = Vec::new();
            for (draft, needs) in drafts.iter().zip(&mut needs) {
                let result = template
                    .render(Value::from(draft.context.clone()))
                    .map_err(|error| problem_of(fault_from_error(&error), text, document))
                    .and_then(|value| {
                        set_need(needs, key, value.trim(), resources)
                            .map_err(|why| wrong_value_problem(key, text, &why, draft))
                    });
                failures.extend(result.err().map(|problem| (draft, problem)));
            }
            sink_first(failures, sink);
        }
        needs
    }
}

/// Renders the needs of a shard as it is now: with its values in force and the values of its pack.
pub fn of_shard(plan: &Plan, shard: &ShardSpec) -> Result<OwnNeeds, RenderError> {
    let mut needs = OwnNeeds::default();
    if plan.template.needs.is_empty() {
        return Ok(shard.needs.clone());
    }
    let context = variables::of_shard(&shard.values_in_force(), shard.slice.as_ref(), shard.pack.as_ref());
    let environment = template_environment(RenderTarget::Direct);
    for (path, template) in &plan.template.needs {
        let failed = |message| RenderError::Template { what: "resources", message };
        let Some(key) = NeedKey::from_path(path) else { continue };
        let text = render_template(&environment, template, &context)
            .map_err(|fault| failed(format!("`{path}`: {}", fault.message)))?;
        set_need(&mut needs, &key, text.trim(), &plan.resources)
            .map_err(|wrong| failed(format!("`{path}` comes to `{}`, not {}", wrong.text, wrong.wanted)))?;
    }
    Ok(needs)
}

/// Renders the needs of packs again whose values have changed since the sweep was read. Where they come to nothing
/// valid, those of before stay.
pub fn renew_packs(plan: &mut Plan) {
    let renewed: Vec<_> = plan.shards.iter().map(|shard| of_shard(plan, shard)).collect();
    for (shard, needs) in plan.shards.iter_mut().zip(renewed).filter(|(shard, _)| shard.pack.is_some()) {
        shard.needs = needs.unwrap_or_else(|_| shard.needs.clone());
    }
}

/// Reports the first of these failures, with the number of other shards that have it.
fn sink_first(failures: Vec<(&Draft, Problem)>, sink: &Sink) {
    let others = failures.len().saturating_sub(1);
    let Some((draft, problem)) = failures.into_iter().next() else { return };
    let more = if others == 0 { String::new() } else { format!(" and {others} more") };
    let message = format!("{} (shard `{}`{more})", problem.message, draft.id);
    sink.add(Problem { message, ..problem });
}

/// `vram` for env=kitchen comes to `6 apples`, which is not a size such as `2 GiB` or `512 MiB`
fn wrong_value_problem(key: &NeedKey, text: &Spanned<String>, why: &InvalidValue, draft: &Draft) -> Problem {
    let message = format!(
        "`{}` for {} comes to `{}`, not {}",
        key.path(),
        format_variables(&draft.vars),
        why.text,
        why.wanted
    );
    let hint = "the template is rendered for every combo; text around `{{ }}` stays as it is";
    Problem::new(text.span(), message).with_hint(hint)
}

/// A text that is no value of its key.
struct InvalidValue {
    text: String,
    wanted: String,
}

fn set_need(
    needs: &mut OwnNeeds,
    key: &NeedKey,
    text: &str,
    resources: &Resources,
) -> Result<(), InvalidValue> {
    match key {
        NeedKey::Gpus => needs.gpus = Some(GpuNeed::Count(parse_gpu_count(text)?)),
        NeedKey::Vram => needs.vram = Some(parse_vram_need(text)?),
        NeedKey::Ram => needs.ram = Some(parse_ram(text)?),
        NeedKey::Cpus => needs.cpus = Some(parse_integer(text, 1, u32::MAX)?),
        NeedKey::Exclusive => needs.exclusive = Some(parse_flag(text)?),
        NeedKey::Timeout => needs.timeout = Some(parse_timeout(text)?),
        NeedKey::ComponentGpus(name) => {
            let count = parse_gpu_count(text)?;
            with_component(needs, resources, name, |component| component.gpus = count);
        }
        NeedKey::ComponentVram(name) => {
            let amount = parse_vram_need(text)?;
            with_component(needs, resources, name, |component| component.vram = Some(amount));
        }
        NeedKey::ComponentShared(name) => {
            let shared = parse_flag(text)?;
            with_component(needs, resources, name, |component| component.shared = shared);
        }
    }
    Ok(())
}

/// Changes a component of the shard; the others stay as the sweep has them.
fn with_component(
    needs: &mut OwnNeeds,
    resources: &Resources,
    name: &str,
    change: impl FnOnce(&mut ComponentNeed),
) {
    let own = needs.gpus.get_or_insert_with(|| resources.gpus.clone().unwrap_or(GpuNeed::Count(1)));
    if let GpuNeed::Components(components) = own
        && let Some(component) = components.get_mut(name)
    {
        change(component);
    }
}

fn parse_gpu_count(text: &str) -> Result<u32, InvalidValue> {
    parse_integer(text, 0, MOST_GPUS)
}

/// A division gives a number with a decimal point, even where nothing follows it.
fn parse_integer(text: &str, least: u32, most: u32) -> Result<u32, InvalidValue> {
    let number = text.strip_suffix(".0").unwrap_or(text).parse().ok();
    number.filter(|number| (least..=most).contains(number)).ok_or_else(|| {
        let end = if most == u32::MAX { String::new() } else { format!(" and at most {most}") };
        InvalidValue { text: text.to_owned(), wanted: format!("an integer, at least {least}{end}") }
    })
}

fn parse_vram_need(text: &str) -> Result<VramNeed, InvalidValue> {
    match text {
        "auto" => Ok(VramNeed::Auto),
        text => parse_vram(text)
            .map_err(|error| InvalidValue { text: error.text, wanted: error.wanted.to_owned() }),
    }
}

fn parse_ram(text: &str) -> Result<Bytes, InvalidValue> {
    text.parse().map_err(|_| InvalidValue {
        text: text.to_owned(),
        wanted: "a size such as `2 GiB` or `512 MiB`".to_owned(),
    })
}

fn parse_timeout(text: &str) -> Result<Duration, InvalidValue> {
    parse_duration(text).map_err(|error| InvalidValue { text: error.text, wanted: error.wanted.to_owned() })
}

fn parse_flag(text: &str) -> Result<bool, InvalidValue> {
    match text {
        // The engine prints what it has compared as Python does.
        "true" | "True" => Ok(true),
        "false" | "False" => Ok(false),
        _ => Err(InvalidValue { text: text.to_owned(), wanted: "a boolean".to_owned() }),
    }
}
