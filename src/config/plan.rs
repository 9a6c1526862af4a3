//! From the text of a sweep file to the plan, or to everything that is wrong with it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use minijinja::Value;
use toml::Spanned;
use toml::de::DeTable;

use super::document::problem::{Problem, Problems};
use super::document::syntax::syntax_problems;
use super::document::table::{Sink, Table};
use super::expand::{self, Draft, Parts};
use super::matrix::combos::{self, AddedValues};
use super::matrix::{axis_watch, episodes, runner};
use super::needs::NeedTemplates;
use super::own_paths::OwnPaths;
use super::pack::{self, Packing};
use super::sections::{
    analysis, commands, hooks, ladder, log_rules, metric, nodes, resources, results, resume, schedule,
    service,
};
use super::templates::names::{self, TemplateNames};
use super::templates::paths::absolute_path;
use super::templates::preview::Preview;
use super::templates::shard::{self, ShardSection, TemplateRole};
use super::templates::template::Context;
use super::trial::{TemplateTrial, parse_durations};
use crate::model::history::ShardHistory;
use crate::model::ids::ShardId;
use crate::model::logs::log_format::OwnFormats;
use crate::model::needs::own_needs::OwnNeeds;
use crate::model::needs::resources::Resources;
use crate::model::sweep::axis::{AxisValues, FoundAxis};
use crate::model::sweep::edit::Edit;
use crate::model::sweep::expansion::Expansion;
use crate::model::sweep::plan::{PLAN_VERSION, Plan, ShardSpec};
use crate::model::sweep::service::ServiceSpec;

/// Source of a sweep, and the facts of the machine on which its defaults depend.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlanOrigin {
    /// The sweep file, absolute.
    pub file: PathBuf,
    /// The home folder, for `~`.
    pub home: Option<PathBuf>,
    /// Cores, for `parallel` left out and, by default, for `shards = "auto"`.
    pub cores: u32,
    /// Log formats of the user's own, which `preset` may name.
    pub formats: OwnFormats,
}

/// Reads a sweep. All problems are found at once; with any there is no plan.
pub fn read_plan(source: &str, origin: &PlanOrigin) -> Result<Plan, Problems> {
    read_for(source, origin, origin.cores)
}

/// The same for so many shards side by side, for `shards = "auto"`.
pub fn read_for(source: &str, origin: &PlanOrigin, slots: u32) -> Result<Plan, Problems> {
    read_with(source, origin, slots, AxisOverrides::default())
}

/// Values of axes that are not in the file.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct AxisOverrides<'a> {
    /// Axes with other values than the file gives them.
    pub others: &'a [AxisValues],
    /// Values found for the axes that take theirs from outside of the file.
    pub found: &'a [FoundAxis],
    /// The values of an axis that are added to a run: only what they bring is planned.
    pub added: Option<AddedValues<'a>>,
}

/// The same with values for some axes of `[matrix]` that are not in the file.
pub fn read_with(
    source: &str,
    origin: &PlanOrigin,
    slots: u32,
    axes: AxisOverrides<'_>,
) -> Result<Plan, Problems> {
    let (document, errors) = DeTable::parse_recoverable(source);
    let problems = |list| Problems::new(origin.file.clone(), source.to_owned(), list);
    if !errors.is_empty() {
        return Err(problems(syntax_problems(source, &errors)));
    }
    let sink = Sink::default();
    let plan = assemble_plan(&document, source, origin, (slots, axes), &sink);
    if sink.is_empty() {
        ladder::check_ladder(&plan, &Table::root(&document, &sink).get_table("schedule"));
    }
    if sink.is_empty() { Ok(plan) } else { Err(problems(sink.take_problems())) }
}

/// The axes of `[matrix]` as the file gives them; [`read_plan`] reports their errors.
pub fn read_axes(source: &str, found: &[FoundAxis]) -> Vec<AxisValues> {
    let (document, _) = DeTable::parse_recoverable(source);
    let sink = Sink::default();
    combos::read_axes(&Table::root(&document, &sink).get_table("matrix"), found)
}

/// Whether the sweep leaves it to the machine into how many slices a combo is cut.
pub fn slices_by_machine(source: &str) -> bool {
    let (document, _) = DeTable::parse_recoverable(source);
    let sink = Sink::default();
    Table::root(&document, &sink).get_table("episodes").is_auto("shards")
}

fn assemble_plan(
    document: &Spanned<DeTable<'_>>,
    source: &str,
    origin: &PlanOrigin,
    (slots, axes): (u32, AxisOverrides<'_>),
    sink: &Sink,
) -> Plan {
    let root = Table::root(document, sink);
    let name = sweep_name(&root, origin);
    let watches = axis_watch::read_watches(&root);
    let matrix = combos::read_matrix(&root, axes.others, axes.found, axes.added);
    let mut section = shard::read_shard(&root);
    let slices = root.get_table("episodes");
    let rule = runner::read_slice_rule(&slices);
    rule.insert_arguments(&slices, &mut section);
    // Packs come first, though the episodes precede them in the file: their number decides the slices.
    let sliced = root.get("episodes").is_some();
    let first_pack = axes.added.map_or(0, |added| added.first_pack);
    let packing = pack::read_packing(&root, &matrix.names, &matrix.combos, first_pack);
    let combos =
        axes.added.map_or_else(|| expand::count_combos(&matrix, packing.as_ref()), |added| added.combos);
    let slicing = episodes::read_episodes(&slices, &rule, combos, slots);
    let packed = packing.as_ref().map(Packing::axes).unwrap_or_default();
    let ladder_axes = ladder::LadderAxes { matrix: &matrix, packed };
    let mut templates = NeedTemplates::default();
    let resources = resources::read_resources(&root, &mut templates);
    let schedule = schedule::read_schedule(&root, origin.cores, &mut templates, &ladder_axes);
    section.template.needs = templates.texts();
    pack::check_auto(&root, packing.as_ref(), &schedule, section.field(TemplateRole::Id));
    let (progress, metrics) = metric::read_progress_and_metrics(&root, &origin.formats, &mut section.fields);
    let rules = log_rules::read_rules(&root);
    let results = results::read_results(&root, source, &mut section);
    section.template.resume = resume::read_resume(&root, &section);
    let axes: Vec<String> = matrix.names.iter().filter(|axis| !packed.contains(axis)).cloned().collect();
    let analysis = analysis::read_analysis(&root, &matrix.names, packed);
    let hook = hooks::read_hook(&root);
    let nodes = nodes::read_nodes(&root);
    let commands = commands::read_commands(&root, source).into_iter().map(|read| read.command).collect();
    let mut services = service::read_services(&root);
    results::check_engine(&root);
    root.report_unknown_keys();

    service::resolve_instance_axes(&mut services, &axes, sink);
    let specs: Vec<ServiceSpec> = services.iter().map(|service| service.spec.clone()).collect();
    let known = TemplateNames::of_sweep(&axes, sliced, packed, &resources).and_services(&specs);
    let parts = Parts {
        sweep: &name,
        matrix: &matrix,
        packing: packing.as_ref(),
        episodes: slicing.as_ref(),
        section: &section,
        document: source,
        services: &specs,
        sink,
    };
    let shards = build_shards(&parts, &known, (&resources, &templates), origin);
    service::check_services(&services, &shards, &parts, origin.home.as_deref());
    Plan {
        version: PLAN_VERSION,
        name,
        sweep_dir: sweep_dir(origin).to_owned(),
        axes,
        template: section.template,
        shards,
        services: specs,
        resources,
        schedule,
        progress,
        metrics,
        rules,
        value_log: packing.as_ref().map(|packing| packing.value_log().clone()).unwrap_or_default(),
        results,
        analysis,
        hook,
        commands,
        foreign: BTreeMap::new(),
        expansion: Some(Expansion { axes: matrix.axes, combos, slots, only: None, watches }),
        nodes,
    }
}

/// The name of the sweep, which also names its runs; by default that of its file.
fn sweep_name(root: &Table<'_>, origin: &PlanOrigin) -> String {
    let stem = origin.file.file_stem().map_or_else(|| "sweep".into(), |stem| stem.to_string_lossy());
    let Some(name) = root.get_string("name") else { return stem.into_owned() };
    if let Err(problem) = ShardId::new(name.get_ref().as_str()) {
        let message = format!("the name of the sweep {problem}");
        root.sink().add(Problem::new(name.span(), message).with_hint("it becomes the name of a folder"));
    }
    name.into_inner()
}

/// Checks all templates, names the shards, and tries every template on every shard.
fn build_shards(
    parts: &Parts<'_>,
    known: &TemplateNames,
    (resources, templates): (&Resources, &NeedTemplates),
    origin: &PlanOrigin,
) -> Vec<ShardSpec> {
    let (section, sink, sweep_dir) = (parts.section, parts.sink, sweep_dir(origin));
    let check = |field| names::check_field(field, known, parts.document, sink);
    let fields = section.fields.iter().chain(templates.fields());
    // Collected first, because `all` alone would stop at the first bad template.
    let sound = fields.map(check).collect::<Vec<_>>().into_iter().all(|sound| sound);
    // Without sound slices no shard has the values that its templates name.
    let lacks_slices = parts.episodes.is_none() && known.has("shard");
    if !sound || lacks_slices {
        return Vec::new();
    }
    let drafts = expand::draft_shards(parts);
    let needs = templates.render_needs(&drafts, resources, parts.document, sink);
    let resources: Vec<Cow<'_, Resources>> = needs.iter().map(|needs| needs.in_place(resources)).collect();
    let home = origin.home.as_deref();
    let trial = TemplateTrial { home, document: parts.document, sink };
    let contexts: Vec<Value> = drafts
        .iter()
        .zip(&resources)
        .map(|(draft, own)| Value::from(TemplateTrial::context(draft, own, parts.services)))
        .collect();
    let mut expected = None;
    let mut own = OwnPaths::new(&drafts, sweep_dir, home);
    for field in section.fields.iter().filter(|field| field.role != TemplateRole::Id) {
        let texts = trial.render_field(field, &drafts, &contexts);
        if texts.is_some() {
            trial.run_again(field, &drafts, (&resources, parts.services));
        }
        match field.role.own_file() {
            Some(file) => own.report_shared_files(field, file, &texts.unwrap_or_default(), sink),
            None if field.role == TemplateRole::Cwd => own.run_in(&texts.unwrap_or_default()),
            None if field.role == TemplateRole::Expected => expected = texts,
            None => {}
        }
    }
    let expected = parse_durations(expected, drafts.len());
    let preview = Preview::new();
    let specs = drafts.into_iter().zip(&resources).map(|(draft, own)| {
        let context = Preview::context(&draft.context, own);
        build_spec(draft, section, (&preview, &context), sweep_dir, home)
    });
    let specs = specs.zip(expected).zip(needs);
    specs.map(|((spec, expected), needs)| ShardSpec { expected, needs, ..spec }).collect()
}

/// The folder of the sweep file, where its relative paths start.
fn sweep_dir(origin: &PlanOrigin) -> &Path {
    origin.file.parent().unwrap_or(Path::new("/"))
}

fn build_spec(
    draft: Draft,
    section: &ShardSection,
    (preview, context): (&Preview, &Context),
    sweep_dir: &Path,
    home: Option<&Path>,
) -> ShardSpec {
    let command = preview.render_command(&section.template.command, context);
    let cwd = preview.render_text(&section.template.cwd, context);
    // A folder that only the start knows stays as it is written.
    let cwd = match absolute_path(&cwd, sweep_dir, home) {
        Ok(path) if !cwd.starts_with("{{") => path,
        Ok(_) | Err(_) => PathBuf::from(cwd),
    };
    let Draft { id, vars, slice, pack, .. } = draft;
    ShardSpec {
        id,
        vars,
        slice,
        pack,
        command,
        cwd,
        expected: None,
        needs: OwnNeeds::default(),
        learned: ShardHistory::default(),
        edit: Edit::default(),
    }
}

#[cfg(test)]
mod analysis_tests;

#[cfg(test)]
mod needs_tests;

#[cfg(test)]
mod tests;
