//! Combos, packs and slices become shards with names of their own.

use std::collections::HashMap;
use std::ops::Range;

use super::document::problem::Problem;
use super::document::table::Sink;
use super::matrix::combos::Matrix;
use super::matrix::episodes::EpisodeSlicing;
use super::pack::Packing;
use super::templates::names::problem_of;
use super::templates::shard::{ShardSection, TemplateRole};
use super::templates::template::{
    Context, RenderTarget, render_template, template_environment, undeclared_names,
};
use super::templates::variables::of_shard;
use crate::model::ids::ShardId;
use crate::model::sweep::plan::{Pack, Slice};
use crate::model::sweep::service::ServiceSpec;
use crate::model::value::{Value, Variables};

/// More shards than this are a mistake in the sweep.
const MOST_SHARDS: usize = 100_000;

/// A shard that has its values and its name.
pub(super) struct Draft {
    pub(super) id: ShardId,
    pub(super) vars: Variables,
    pub(super) slice: Option<Slice>,
    pub(super) pack: Option<Pack>,
    /// The values templates see, the id among them.
    pub(super) context: Context,
}

/// Everything the names of shards depend on.
pub(super) struct Parts<'a> {
    pub(super) sweep: &'a str,
    pub(super) matrix: &'a Matrix,
    pub(super) packing: Option<&'a Packing>,
    pub(super) episodes: Option<&'a EpisodeSlicing>,
    pub(super) section: &'a ShardSection,
    pub(super) document: &'a str,
    pub(super) services: &'a [ServiceSpec],
    pub(super) sink: &'a Sink,
}

/// All shards in the order of the sweep; with problems in the sink some may be missing.
pub(super) fn draft_shards(parts: &Parts<'_>) -> Vec<Draft> {
    let naming = Naming::from_parts(parts);
    let mut seen = HashMap::new();
    let mut drafts: Vec<Draft> = Vec::new();
    for cell in expand_cells(parts) {
        let Some(draft) = naming.draft_shard(parts, cell) else { break };
        if let Some(first) = seen.insert(draft.id.clone(), drafts.len()) {
            parts.sink.add(describe_clash(&naming, &drafts[first], &draft));
            break;
        }
        drafts.push(draft);
    }
    drafts
}

/// A shard before it has a name.
type Cell = (Variables, Option<Pack>, Option<Slice>);

/// How many combos there are to cut into slices: packs, where the sweep packs.
pub(super) fn count_combos(matrix: &Matrix, packing: Option<&Packing>) -> usize {
    match packing {
        Some(packing) => packing.pack_combos(matrix.combos.clone()).len(),
        None => matrix.combos.len(),
    }
}

fn expand_cells(parts: &Parts<'_>) -> Vec<Cell> {
    let combos = parts.matrix.combos.clone();
    let packed = match parts.packing {
        Some(packing) => packing.pack_combos(combos),
        None => combos.into_iter().map(|vars| (vars, None)).collect(),
    };
    let Some(episodes) = parts.episodes else {
        return packed.into_iter().map(|(vars, pack)| (vars, pack, None)).collect();
    };
    if packed.len().saturating_mul(episodes.slice_count()) > MOST_SHARDS {
        let message = format!("the sweep has more than {MOST_SHARDS} shards");
        parts
            .sink
            .add(Problem::new(parts.matrix.span.clone(), message).with_hint("split it into several sweeps"));
        return Vec::new();
    }
    let slices = |(vars, pack): (Variables, Option<Pack>)| {
        episodes.slices().map(move |slice| (vars.clone(), pack.clone(), Some(slice)))
    };
    packed.into_iter().flat_map(slices).collect()
}

/// How ids are made.
struct Naming<'a> {
    template: Option<&'a str>,
    /// The id does not show which slice or pack it is, so that is appended.
    append_slice: bool,
    append_pack: bool,
    span: Range<usize>,
    environment: minijinja::Environment<'static>,
}

impl<'a> Naming<'a> {
    fn from_parts(parts: &Parts<'a>) -> Self {
        let field = parts.section.field(TemplateRole::Id);
        let environment = template_environment(RenderTarget::Direct);
        let used = field
            .and_then(|field| undeclared_names(&environment, field.text.get_ref()).ok())
            .unwrap_or_default();
        let uses = |base: &str| used.iter().any(|name| name.split('.').next() == Some(base));
        Self {
            template: field.map(|field| field.text.get_ref().as_str()),
            append_slice: !uses("shard"),
            append_pack: !uses("pack"),
            span: field.map_or(parts.matrix.span.clone(), |field| field.text.span()),
            environment,
        }
    }

    fn draft_shard(&self, parts: &Parts<'_>, (vars, pack, slice): Cell) -> Option<Draft> {
        let mut context = of_shard(&vars, slice.as_ref(), pack.as_ref());
        let mut text = self.base_id(parts, &vars, &context)?;
        if let Some(pack) = pack.as_ref().filter(|_| self.append_pack) {
            text.push_str(&format!("_pack{}", pack.index));
        }
        if let Some(slice) = slice.as_ref().filter(|_| self.append_slice) {
            text.push_str(&format!("_{}of{}", slice.index, slice.count));
        }
        let id = ShardId::new(text.as_str())
            .map_err(|problem| {
                let hint = self.hint_for_folder_name(&vars);
                let message = format!("the shard id `{text}` {problem}");
                parts.sink.add(Problem::new(self.span.clone(), message).with_hint(hint));
            })
            .ok()?;
        context.insert("id".to_owned(), id.as_str().into());
        Some(Draft { id, vars, slice, pack, context })
    }

    /// The id without slashes, where those are what is wrong.
    fn hint_for_folder_name(&self, vars: &Variables) -> String {
        let plain = |name: &str| format!("{{{{ {name} }}}}");
        let names = vars.iter().map(|(name, _)| plain(name));
        let mut id = self.template.map_or_else(|| names.collect::<Vec<_>>().join("_"), str::to_owned);
        for (name, _) in vars.iter().filter(|(_, value)| value.to_string().contains('/')) {
            id = id.replace(&plain(name), &format!("{{{{ {name} | replace('/', '-') }}}}"));
        }
        format!("ids become folder names: set `id` in `[shard]`, such as `id = \"{id}\"`")
    }

    fn base_id(&self, parts: &Parts<'_>, vars: &Variables, context: &Context) -> Option<String> {
        let Some(template) = self.template else {
            let values: Vec<String> =
                vars.iter().map(|(name, value)| parts.matrix.label(name, value)).collect();
            return Some(if values.is_empty() { parts.sweep.to_owned() } else { values.join("_") });
        };
        render_template(&self.environment, template, context)
            .map_err(|fault| {
                if let Some(field) = parts.section.field(TemplateRole::Id) {
                    parts.sink.add(problem_of(fault, &field.text, parts.document));
                }
            })
            .ok()
    }
}

fn describe_clash(naming: &Naming<'_>, first: &Draft, second: &Draft) -> Problem {
    let differing: Vec<&str> = first
        .vars
        .iter()
        .filter(|(name, value)| second.vars.get(name) != Some(value))
        .map(|(name, _)| name)
        .collect();
    let hint = match (naming.template, differing.is_empty()) {
        (Some(template), false) => {
            let names: String = differing.iter().map(|name| format!("_{{{{ {name} }}}}")).collect();
            format!("let the id name what differs: `id = \"{template}{names}\"`")
        }
        (None, false) => {
            let names: Vec<String> = first.vars.iter().map(|(name, _)| format!("{{{{ {name} }}}}")).collect();
            format!("set `id` in `[shard]`, such as `id = \"{}\"`", names.join("-"))
        }
        (Some(_) | None, true) => {
            "let the id name what differs, such as `{{ shard.index }}` or `{{ pack.index }}`".to_owned()
        }
    };
    let message = format!(
        "two shards have the id `{}`: {} and {}",
        first.id,
        format_variables(&first.vars),
        format_variables(&second.vars)
    );
    Problem::new(naming.span.clone(), message).with_hint(hint)
}

/// Formats the values of a combo, such as `policy=flat env=stairs`.
pub(super) fn format_variables(vars: &Variables) -> String {
    let pair = |(name, value): (&str, &Value)| format!("{name}={value}");
    let pairs: Vec<String> = vars.iter().map(pair).collect();
    if pairs.is_empty() { "one without variables".to_owned() } else { pairs.join(" ") }
}
