//! Every template rendered for every shard with made-up start values, so that nothing fails only at night.

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use minijinja::Value;

use super::document::problem::Problem;
use super::document::table::Sink;
use super::expand::Draft;
use super::templates::names::problem_of;
use super::templates::paths::expand_home;
use super::templates::service_values::{ServiceAddress, add_services};
use super::templates::shard::{TemplateField, TemplateRole};
use super::templates::template::{
    Context, TemplateFault, fault_from_error, template_environment, undeclared_names,
};
use super::templates::variables::{PreviousFacts, StartFacts, add_start};
use crate::model::ids::GpuIndex;
use crate::model::needs::resources::{GpuNeed, Resources};
use crate::model::sweep::service::ServiceSpec;
use crate::model::units::parse_duration;

/// A trial names so many GPUs at most: how many there are does not change whether a template renders.
const MOST_GPUS: u32 = 64;

/// GPUs that a shard with these needs could be given.
pub(super) fn trial_gpus(resources: &Resources) -> Vec<GpuIndex> {
    let count = resources.gpus.as_ref().map_or(1, GpuNeed::gpu_count);
    (0..count.min(MOST_GPUS)).map(GpuIndex).collect()
}

/// Everything that the trial needs in addition to the shards.
pub(super) struct TemplateTrial<'a> {
    pub(super) home: Option<&'a Path>,
    pub(super) document: &'a str,
    pub(super) sink: &'a Sink,
}

impl TemplateTrial<'_> {
    /// The values of a shard with plausible ones of its first start.
    pub(super) fn context(draft: &Draft, resources: &Resources, services: &[ServiceSpec]) -> Context {
        Self::context_of((draft, resources, services), 1, None)
    }

    fn context_of(
        (draft, resources, services): (&Draft, &Resources, &[ServiceSpec]),
        attempt: u32,
        previous: Option<PreviousFacts>,
    ) -> Context {
        let facts = StartFacts {
            attempt,
            out: format!("/run/shards/{}/attempt-{attempt:02}/out", draft.id),
            run_dir: "/run".to_owned(),
            gpus: &trial_gpus(resources),
            port: Some(49152),
            previous,
        };
        let mut context = draft.context.clone();
        add_start(&mut context, &facts, resources);
        let address = |service: &ServiceSpec| (service.name.clone(), ServiceAddress::of_trial(service));
        add_services(&mut context, services.iter().map(address));
        context
    }

    /// Renders a field that names `previous` for an attempt that continues the first one.
    pub(super) fn run_again(
        &self,
        field: &TemplateField,
        drafts: &[Draft],
        (resources, services): (&[Cow<'_, Resources>], &[ServiceSpec]),
    ) {
        if !names_previous(field) {
            return;
        }
        let second = |(draft, own): (&Draft, &Cow<'_, Resources>)| {
            let out = format!("/run/shards/{}/attempt-01/out", draft.id);
            let previous = PreviousFacts { attempt: 1, out, done: None };
            Value::from(Self::context_of((draft, own, services), 2, Some(previous)))
        };
        let contexts: Vec<Value> = drafts.iter().zip(resources).map(second).collect();
        self.render_field(field, drafts, &contexts);
    }

    /// Renders one field for all shards and checks what came out; the texts, where all is well.
    pub(super) fn render_field(
        &self,
        field: &TemplateField,
        drafts: &[Draft],
        contexts: &[Value],
    ) -> Option<Vec<String>> {
        let environment = template_environment(field.role.reader());
        let template = environment.template_from_str(field.text.get_ref()).ok()?;
        let mut texts = Vec::with_capacity(drafts.len());
        let mut failures = Vec::new();
        for (draft, context) in drafts.iter().zip(contexts) {
            let text = template
                .render(context.clone())
                .map_err(|error| {
                    problem_of(with_hint(fault_from_error(&error), field), &field.text, self.document)
                })
                .and_then(|text| self.check_text(field, text));
            match text {
                Ok(text) => texts.push(text),
                Err(problem) => failures.push((draft, problem)),
            }
        }
        let others = failures.len().saturating_sub(1);
        let Some((draft, problem)) = failures.into_iter().next() else { return Some(texts) };
        let more = if others == 0 { String::new() } else { format!(" and {others} more") };
        let message = format!("{} (shard `{}`{more})", problem.message, draft.id);
        self.sink.add(Problem { message, ..problem });
        None
    }

    fn check_text(&self, field: &TemplateField, text: String) -> Result<String, Problem> {
        if text.contains('\0') {
            return Err(Problem::new(field.text.span(), "a program cannot be given the character NUL"));
        }
        let problem = match field.role {
            TemplateRole::Cwd => expand_home(&text, self.home).err().map(|error| error.to_string()),
            TemplateRole::Expected => parse_duration(&text).err().map(|error| error.to_string()),
            TemplateRole::Artifact | TemplateRole::ProgressFile | TemplateRole::ResultFile => {
                match field.role.own_file().filter(|_| text.is_empty()) {
                    Some(file) => Some(format!("the name of the {file} is empty")),
                    None => expand_home(&text, self.home).err().map(|error| error.to_string()),
                }
            }
            TemplateRole::Id
            | TemplateRole::Need
            | TemplateRole::Setup
            | TemplateRole::Command
            | TemplateRole::Argument
            | TemplateRole::Env => None,
        };
        problem.map_or(Ok(text), |message| Err(Problem::new(field.text.span(), message)))
    }
}

/// Adds a hint about `previous`, whose members are undefined for the first attempt, or unknown.
fn with_hint(fault: TemplateFault, field: &TemplateField) -> TemplateFault {
    if fault.hint.is_some() || !names_previous(field) {
        return fault;
    }
    let hint = "the first attempt has no `previous`: write `{{ previous.out | default('') }}`, or put what needs it \
                between `{% if previous %}` and `{% endif %}`; `previous.done` may be unknown later too";
    TemplateFault { hint: Some(hint.to_owned()), ..fault }
}

/// Whether the text depends on the attempt before.
pub(super) fn names_previous(field: &TemplateField) -> bool {
    let used = undeclared_names(&template_environment(field.role.reader()), field.text.get_ref());
    used.is_ok_and(|names| names.iter().any(|name| name.split('.').next() == Some("previous")))
}

/// The expected durations, read once more from texts that were checked.
pub(super) fn parse_durations(texts: Option<Vec<String>>, count: usize) -> Vec<Option<Duration>> {
    match texts {
        Some(texts) => texts.iter().map(|text| parse_duration(text).ok()).collect(),
        None => vec![None; count],
    }
}
