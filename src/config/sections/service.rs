//! `[[service]]`: processes that shards share, such as a policy server, a simulator or a database.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use minijinja::Value;
use toml::Spanned;

use super::log_rules::{read_pattern, required_text};
use crate::config::document::problem::{Problem, join_quoted};
use crate::config::document::table::{Sink, Table};
use crate::config::expand::{Draft, Parts};
use crate::config::needs::MOST_GPUS;
use crate::config::templates::names::{self, TemplateNames};
use crate::config::templates::shard::{
    TemplateField, TemplateRole, add_field, read_command, read_environment,
};
use crate::config::templates::template::RenderTarget;
use crate::config::templates::template::template_environment as engine;
use crate::config::templates::variables::of_shard;
use crate::config::trial::TemplateTrial;
use crate::model::ids::ShardId;
use crate::model::needs::resources::{GpuNeed, Resources, VramNeed};
use crate::model::sweep::plan::ShardSpec;
use crate::model::sweep::resume::Resume;
use crate::model::sweep::service::{ReadyCheck, ServiceInstance, ServicePer, ServiceSpec, is_instance_name};
use crate::model::sweep::shard_template::ShardTemplate;
use crate::model::value::Variables;

/// Loading a model of some gigabytes from a slow disk and compiling it takes minutes.
const READY_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// A server that dies more often in a row will not live.
const RESTARTS: u32 = 3;

/// Hint with the conditions that shards may wait for.
const READY_HINT: &str = "one of `ready = { port = true }`, `{ log = 'listening' }`, `{ http = \"/healthz\" }` and \
                          `{ file = \"{{ out }}/ready\" }`";

/// A `[[service]]` section with the places of its templates.
#[derive(Debug)]
pub(in crate::config) struct ServiceSection {
    pub(in crate::config) spec: ServiceSpec,
    fields: Vec<TemplateField>,
    span: Range<usize>,
    /// The sweep itself gives the axes by which instances differ.
    has_by: bool,
}

/// Reads the `[[service]]` tables; faulty ones become problems.
pub(in crate::config) fn read_services(root: &Table<'_>) -> Vec<ServiceSection> {
    let mut services: Vec<ServiceSection> = Vec::new();
    for table in root.get_tables("service") {
        let Some(service) = read_service(&table) else { continue };
        if services.iter().any(|other| other.spec.name == service.spec.name) {
            let message = format!("there is a service `{}` already", service.spec.name);
            table.sink().add(Problem::new(table.span(), message).with_hint("choose another `name`"));
        }
        services.push(service);
    }
    services
}

fn read_service(table: &Table<'_>) -> Option<ServiceSection> {
    let name = required_text(table, "name", "templates use it by its name: `{{ service.NAME.port }}`");
    let mut fields = Vec::new();
    let per = [("gpu", ServicePer::Gpu), ("combo", ServicePer::Combo), ("run", ServicePer::Run)];
    let per = table.get_choice("per", &per).unwrap_or(ServicePer::Run);
    let template = read_template(table, &mut fields);
    let (ready, port) = (read_ready_check(table, &mut fields), table.get_integer("port", 1));
    let spec = ServiceSpec {
        name: name.clone().unwrap_or_default(),
        per,
        by: table.get_strings("by").into_iter().map(Spanned::into_inner).collect(),
        serves: table.get_integer("serves", 1),
        resources: read_resources(table, per),
        ready: ready.or_else(|| usual_ready(table, &fields, port)).unwrap_or(ReadyCheck::Port),
        template,
        port,
        ready_timeout: table.get_duration("ready_timeout").unwrap_or(READY_TIMEOUT),
        restarts: table.get_integer("restarts", 0).unwrap_or(RESTARTS),
    };
    table.report_unknown_keys();
    let name = name?;
    if !is_word(&name) {
        let message = format!("`{name}` cannot be the name of a service");
        let hint = "templates use it: letters, digits and `_`, such as `policy_server`";
        table.sink().add(Problem::new(table.get("name")?.span(), message).with_hint(hint));
    }
    check_port(table, &spec, &fields);
    Some(ServiceSection { spec, fields, span: table.span(), has_by: table.get("by").is_some() })
}

fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.len() <= 40
}

fn read_template(table: &Table<'_>, fields: &mut Vec<TemplateField>) -> ShardTemplate {
    let cwd = table
        .get_string("cwd")
        .map(|text| add_field(fields, TemplateRole::Cwd, text))
        .filter(|text| !text.is_empty());
    let setup = table
        .get_strings("setup")
        .into_iter()
        .map(|text| add_field(fields, TemplateRole::Setup, text))
        .collect();
    ShardTemplate {
        cwd: cwd.unwrap_or_else(|| ".".to_owned()),
        setup,
        command: read_command(table, fields),
        env: read_environment(table, fields),
        artifacts: Vec::new(),
        secret: Vec::new(),
        needs: BTreeMap::new(),
        resume: Resume::default(),
    }
}

/// Reads what an instance needs: the keys of `[resources]`, in the table of the service.
fn read_resources(table: &Table<'_>, per: ServicePer) -> Resources {
    let count: Option<u32> = table.get_integer("gpus", 0);
    let place = |key| table.get(key).map_or(table.span(), |value| value.span());
    match (count, per) {
        (Some(count), ServicePer::Gpu) if count != 1 => {
            let message = format!("a service on each GPU has one GPU, not {count}");
            let hint = "leave `gpus` out, or set `per` to `combo` or `run`";
            table.sink().add(Problem::new(place("gpus"), message).with_hint(hint));
        }
        (Some(count), ServicePer::Gpu | ServicePer::Combo | ServicePer::Run) if count > MOST_GPUS => {
            let message = format!("`gpus` is {count}, and no machine has more than {MOST_GPUS}");
            table.sink().add(Problem::new(place("gpus"), message));
        }
        (_, ServicePer::Gpu | ServicePer::Combo | ServicePer::Run) => {}
    }
    let vram = table.get_vram("vram");
    if vram == Some(VramNeed::Auto) {
        let hint = "say what it takes, such as `vram = \"8 GiB\"`";
        table
            .sink()
            .add(Problem::new(place("vram"), "the VRAM of a service is not measured").with_hint(hint));
    }
    Resources {
        gpus: count.map(GpuNeed::Count),
        vram: vram.filter(|vram| *vram != VramNeed::Auto),
        cpus: table.get_integer("cpus", 1),
        ram: table.get_bytes("ram"),
        ..Resources::default()
    }
}

/// The table `ready`: one way to know it.
fn read_ready_check(table: &Table<'_>, fields: &mut Vec<TemplateField>) -> Option<ReadyCheck> {
    let value = table.get("ready")?;
    let ready = table.get_table("ready");
    let log = ready.get("log").and_then(|_| read_pattern(&ready, "log", None)).map(ReadyCheck::Log);
    let http = ready.get_string("http").map(Spanned::into_inner);
    if let Some(path) = http.as_ref().filter(|path| !path.starts_with('/')) {
        let message = format!("`http` is the path that is asked for at the port, not `{path}`");
        table.sink().add(Problem::new(value.span(), message).with_hint("such as `http = \"/healthz\"`"));
    }
    let file = ready
        .get_string("file")
        .map(|text| ReadyCheck::File(add_field(fields, TemplateRole::Artifact, text)));
    let port = ready.get_flag("port").filter(|port| *port).map(|_| ReadyCheck::Port);
    ready.report_unknown_keys();
    let mut ways: Vec<ReadyCheck> =
        [log, http.map(ReadyCheck::Http), file, port].into_iter().flatten().collect();
    if ways.len() != 1 {
        let message = format!("`ready` names {} ways to know it, and needs one", ways.len());
        table.sink().add(Problem::new(value.span(), message).with_hint(READY_HINT));
    }
    ways.pop()
}

/// Returns the default check: without `ready`, a service is ready when a process listens on its port, if it has one.
fn usual_ready(table: &Table<'_>, fields: &[TemplateField], port: Option<u16>) -> Option<ReadyCheck> {
    if table.get("ready").is_none() && port.is_none() && !is_name_used(fields, "port") {
        table.report_missing("ready", READY_HINT);
    }
    None
}

fn is_name_used(fields: &[TemplateField], name: &str) -> bool {
    let engine = engine(RenderTarget::Direct);
    let used = |field: &TemplateField| names_of(&engine, field).iter().any(|used| used == name);
    fields.iter().any(used)
}

fn names_of(engine: &minijinja::Environment<'_>, field: &TemplateField) -> Vec<String> {
    crate::config::templates::template::undeclared_names(engine, field.text.get_ref()).unwrap_or_default()
}

fn check_port(table: &Table<'_>, spec: &ServiceSpec, fields: &[TemplateField]) {
    if spec.port.is_some() && spec.per != ServicePer::Run {
        let span = table.get("port").map_or(table.span(), |value| value.span());
        let message = "several instances cannot have the same `port`";
        let hint = "leave `port` out and write `{{ port }}` in the command: each gets a free one";
        table.sink().add(Problem::new(span, message).with_hint(hint));
    }
    if table.get("ready").is_some()
        && spec.ready.asks_port()
        && spec.port.is_none()
        && !is_name_used(fields, "port")
    {
        let span = table.get("ready").map_or(table.span(), |value| value.span());
        let message = "`ready` asks at a port, and the service is told none";
        let hint = "write `{{ port }}` in its command, or set `port`";
        table.sink().add(Problem::new(span, message).with_hint(hint));
    }
}

/// Determines by which axes the instances of each service differ: those that the sweep names, or else those
/// that its templates use.
pub(in crate::config) fn resolve_instance_axes(
    services: &mut [ServiceSection],
    axes: &[String],
    sink: &Sink,
) {
    let engine = engine(RenderTarget::Direct);
    for service in services {
        let used: Vec<String> = service.fields.iter().flat_map(|field| names_of(&engine, field)).collect();
        let used: Vec<String> = axes.iter().filter(|axis| used.contains(axis)).cloned().collect();
        let unknown: Vec<&String> = service.spec.by.iter().filter(|axis| !axes.contains(axis)).collect();
        for axis in unknown {
            let message = format!("`by` names `{axis}`, which is no axis");
            let hint = format!("the axes are {}", join_quoted(axes.iter().map(String::as_str)));
            sink.add(Problem::new(service.span.clone(), message).with_hint(hint));
        }
        if service.spec.per == ServicePer::Run {
            refuse_axes(service, &used, sink);
            continue;
        }
        if !service.has_by {
            let all = service.spec.per == ServicePer::Combo && used.is_empty();
            service.spec.by = if all { axes.to_vec() } else { used };
        }
    }
}

/// Refuses axes in a service for all shards, because it has no value of its own for any.
fn refuse_axes(service: &ServiceSection, used: &[String], sink: &Sink) {
    if let Some(axis) = used.iter().chain(&service.spec.by).next() {
        let message = format!(
            "the service `{}` is one for the run, and `{axis}` differs between shards",
            service.spec.name
        );
        let hint = "set `per = \"combo\"` for one for each value";
        sink.add(Problem::new(service.span.clone(), message).with_hint(hint));
    }
}

/// Checks the templates of each service with every set of values that its instances have, and the names of shards.
pub(in crate::config) fn check_services(
    services: &[ServiceSection],
    shards: &[ShardSpec],
    parts: &Parts<'_>,
    home: Option<&Path>,
) {
    let (document, sink) = (parts.document, parts.sink);
    for service in services {
        let known = TemplateNames::of_service(&service.spec.by);
        let check = |field| names::check_field(field, &known, document, sink);
        let is_sound = service.fields.iter().map(check).collect::<Vec<_>>().into_iter().all(|sound| sound);
        let clash = shards.iter().find(|shard| is_instance_name(&service.spec.name, &shard.id));
        if let Some(shard) = clash {
            let message =
                format!("the shard `{}` has a name of the service `{}`", shard.id, service.spec.name);
            sink.add(Problem::new(service.span.clone(), message).with_hint("choose another `name`"));
        }
        if !is_sound {
            continue;
        }
        let drafts = draft_instances(&service.spec, shards);
        let trial = TemplateTrial { home, document, sink };
        let contexts: Vec<Value> = drafts
            .iter()
            .map(|draft| Value::from(TemplateTrial::context(draft, &service.spec.resources, &[])))
            .collect();
        for field in &service.fields {
            trial.render_field(field, &drafts, &contexts);
        }
    }
}

/// An instance for each set of values, on no GPU in particular.
fn draft_instances(spec: &ServiceSpec, shards: &[ShardSpec]) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    for shard in shards {
        let vars: Variables = spec.values_of(&shard.vars);
        if drafts.iter().any(|draft| draft.vars == vars) {
            continue;
        }
        let instance = ServiceInstance { service: spec.name.clone(), gpu: None, vars: vars.clone() };
        let id: ShardId = instance.build_id(|id| drafts.iter().any(|draft| draft.id == *id));
        let mut context = of_shard(&vars, None, None);
        context.insert("id".to_owned(), id.as_str().into());
        drafts.push(Draft { id, vars, slice: None, pack: None, context });
    }
    drafts
}

#[cfg(test)]
mod tests;
