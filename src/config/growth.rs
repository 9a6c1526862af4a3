//! Values that are added to an axis of a run: rendered by what read the sweep at the start, for the new combos alone.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::document::problem::{Problems, word_hint};
use super::edit::placeholder_start;
use super::matrix::axis_source::{parse_outside_axes, range_text};
use super::matrix::combos::{AddedValues, combo_key};
use super::matrix::only::{self, OnlyError};
use super::plan::{AxisOverrides, PlanOrigin, read_with};
use super::templates::paths::absolute_path;
use super::templates::render::{self, RenderError};
use crate::model::ids::ShardId;
use crate::model::sweep::axis::{AxisError, AxisOrigin, AxisValues, FoundAxis};
use crate::model::sweep::expansion::Expansion;
use crate::model::sweep::growth::Growth;
use crate::model::sweep::plan::{Pack, Plan, ShardSpec};
use crate::model::sweep::split;
use crate::model::value::Value;

/// More values than this in one range are a slip of the keyboard.
const MOST_VALUES: i64 = 10_000;

/// Why values cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GrowthError {
    /// The plan has too little of its sweep.
    #[error(
        "this run was started by an earlier version of sweepdeck, which did not keep what values are added with; \
         start a new run with them"
    )]
    TooOld,
    /// The matrix has no such axis.
    #[error("the sweep has no axis `{name}`: {hint}")]
    UnknownAxis {
        /// Name of the axis that was asked for.
        name: String,
        /// Suggestion of a close name, or the list of axes there are.
        hint: String,
    },
    /// The text is no further value of the axis.
    #[error(transparent)]
    Value(#[from] AxisError),
    /// The same value was named twice.
    #[error("`{text}` is named twice")]
    Twice {
        /// Value that was named twice, as text.
        text: String,
    },
    /// No value was named.
    #[error("name a value to add, such as `{axis}=VALUE`")]
    Nothing {
        /// Name of the axis without values.
        axis: String,
    },
    /// The sweep as the run has it does not take the values.
    #[error("the sweep of the run does not take {values}: {first}")]
    Sweep {
        /// Values to be added, as text.
        values: String,
        /// First problem of the sweep with these values.
        first: String,
        /// All that is wrong, with the lines of the sweep.
        all: String,
    },
    /// The expression that the run was started with makes no sense for the new shards.
    #[error("the run was started with --only: {0}")]
    Only(OnlyError),
    /// The rules of the sweep leave all new combos out.
    #[error("{values} brings no shard: `exclude`, or the `--only` of the run, leaves out all of its combos")]
    LeftOut {
        /// Values to be added, as text.
        values: String,
    },
    /// A new shard would have the name of one that is there.
    #[error(
        "the new shard for {values} would have the id `{id}`, which the run has already; its `id` does not name the value"
    )]
    SameId {
        /// Id that both shards would have.
        id: ShardId,
        /// Values to be added, as text.
        values: String,
    },
    /// A new shard would write a file of one that is there.
    #[error("the new shard `{id}` would write {path}, which is a file of `{other}`")]
    SharedFile {
        /// Id of the new shard.
        id: ShardId,
        /// Path of the file, as rendered.
        path: String,
        /// The shard whose file it is.
        other: ShardId,
    },
    /// A template does not take the new values.
    #[error(transparent)]
    Render(#[from] RenderError),
}

/// The sweep of a run as it was given.
#[derive(Debug, Clone, Copy)]
pub struct SweepSource<'a> {
    /// Text of the sweep file, as it was given.
    pub source: &'a str,
    /// The name of its file, without its folder.
    pub file_name: &'a Path,
    /// Home folder of the user, for `~`.
    pub home: Option<&'a Path>,
}

/// Typed texts as new values of the axis; each may hold several values, separated by commas, and ranges of
/// whole numbers.
pub fn read_values(plan: &Plan, axis: &str, texts: &[String]) -> Result<Vec<Value>, GrowthError> {
    let expansion = plan.expansion.as_ref().ok_or(GrowthError::TooOld)?;
    let known = known_axis(expansion, axis)?;
    let is_whole = known.values.iter().all(|value| matches!(value, Value::Integer(_)));
    let mut values: Vec<Value> = Vec::new();
    for text in texts.iter().flat_map(|text| text.split(',')).map(str::trim).filter(|text| !text.is_empty()) {
        let range =
            range_text(text).filter(|(first, end)| is_whole && end.saturating_sub(*first) <= MOST_VALUES);
        let texts: Vec<String> = match range {
            Some((first, end)) => (first..end).map(|number| number.to_string()).collect(),
            None => vec![text.to_owned()],
        };
        for text in texts {
            let value = known.parse_value(&text)?;
            if values.iter().any(|other| other.to_string() == value.to_string()) {
                return Err(GrowthError::Twice { text });
            }
            values.push(value);
        }
    }
    if values.is_empty() { Err(GrowthError::Nothing { axis: axis.to_owned() }) } else { Ok(values) }
}

/// The same for a run whose sweep is at hand: files of a glob are named as the glob names them.
pub fn typed_values(
    plan: &Plan,
    given: SweepSource<'_>,
    axis: &str,
    texts: &[String],
) -> Result<Vec<Value>, GrowthError> {
    let outside = parse_outside_axes(given.source);
    let is_glob =
        |(name, origin): &(String, AxisOrigin)| name == axis && matches!(origin, AxisOrigin::Glob(_));
    if !outside.axes.iter().any(is_glob) {
        return read_values(plan, axis, texts);
    }
    let file = |text: &str| {
        let whole = absolute_path(text.trim(), &plan.sweep_dir, given.home).ok()?;
        let below = whole.strip_prefix(&plan.sweep_dir).ok().filter(|_| outside.keeps_folder);
        below.unwrap_or(&whole).to_str().map(str::to_owned)
    };
    let pieces = texts.iter().flat_map(|text| text.split(',')).filter(|text| !text.trim().is_empty());
    let files: Vec<String> = pieces.map(|text| file(text).unwrap_or_else(|| text.to_owned())).collect();
    read_values(plan, axis, &files)
}

fn known_axis<'e>(expansion: &'e Expansion, name: &str) -> Result<&'e AxisValues, GrowthError> {
    expansion.axis(name).ok_or_else(|| {
        let known: Vec<&str> = expansion.axes.iter().map(|axis| axis.name.as_str()).collect();
        let hint = if known.is_empty() { "it has none".to_owned() } else { word_hint(name, &known) };
        GrowthError::UnknownAxis { name: name.to_owned(), hint }
    })
}

/// Returns what these values of an axis bring to the run: the shards of all combos that have them and are not there
/// yet. There may be none, where a rule of the sweep leaves them out or another axis has no values yet.
pub fn grow_axis(
    plan: &Plan,
    given: SweepSource<'_>,
    axis: &str,
    values: &[Value],
) -> Result<Growth, GrowthError> {
    let expansion = plan.expansion.as_ref().ok_or(GrowthError::TooOld)?;
    known_axis(expansion, axis)?;
    let mut axes = expansion.axes.clone();
    for known in axes.iter_mut().filter(|known| known.name == axis) {
        known
            .values
            .extend(values.iter().filter(|value| !known.values.contains(value)).cloned().collect::<Vec<_>>());
    }
    let found = found_axes(given.source, &axes);
    let there = combos_there(plan);
    let is_packed = |pack: &Pack| pack.axes.iter().any(|packed| packed == axis);
    let has_packs = plan.shards.iter().filter_map(|shard| shard.pack.as_ref()).any(is_packed);
    let added = AddedValues {
        axis,
        values,
        there: &there,
        combos: expansion.combos,
        first_pack: if has_packs { split::free_number(&plan.shards) } else { 0 },
    };
    let origin = PlanOrigin {
        file: plan.sweep_dir.join(given.file_name),
        home: given.home.map(Path::to_owned),
        cores: expansion.slots,
        formats: plan.progress.frozen_format().into_iter().collect(),
    };
    let axes = AxisOverrides { others: &axes, found: &found, added: Some(added) };
    let mut new = read_with(given.source, &origin, expansion.slots, axes)
        .map_err(|problems| growth_error(values, &problems))?;
    if let Some(only) = expansion.only.as_ref().filter(|_| !new.shards.is_empty()) {
        match only::keep_matching(&mut new, only) {
            Err(OnlyError::NothingLeft { .. }) => new.shards.clear(),
            kept => kept.map_err(GrowthError::Only)?,
        }
    }
    if !plan.nodes.is_empty() {
        // The numbers of parts come after those of all packs, old and new.
        let first = split::free_number(&plan.shards).max(split::free_number(&new.shards));
        split::reserve_numbers(&mut new.shards, first);
    }
    let growth = Growth { axis: axis.to_owned(), values: values.to_vec(), shards: new.shards, by: None };
    keep_apart(plan, &growth)?;
    Ok(growth)
}

/// The same for a user who waits for new shards: none of them is an error, unless another axis still has no values.
pub fn grow_for_user(
    plan: &Plan,
    given: SweepSource<'_>,
    axis: &str,
    values: &[Value],
) -> Result<Growth, GrowthError> {
    let growth = grow_axis(plan, given, axis, values)?;
    let mut others =
        plan.expansion.iter().flat_map(|expansion| &expansion.axes).filter(|other| other.name != axis);
    if growth.shards.is_empty() && !others.any(|other| other.values.is_empty()) {
        return Err(GrowthError::LeftOut { values: growth.listed_values() });
    }
    Ok(growth)
}

/// The values that the axes outside of the file have by now.
fn found_axes(source: &str, axes: &[AxisValues]) -> Vec<FoundAxis> {
    let found = |(name, origin): (String, AxisOrigin)| {
        let values = axes.iter().find(|axis| axis.name == name).map(|axis| axis.values.clone());
        FoundAxis { name, origin, values: Ok(values.unwrap_or_default()) }
    };
    parse_outside_axes(source).axes.into_iter().map(found).collect()
}

/// The combos of the run, each value of a pack for itself.
fn combos_there(plan: &Plan) -> HashSet<String> {
    let keys = |shard: &ShardSpec| -> Vec<String> {
        match &shard.pack {
            None => vec![combo_key(shard.vars.iter())],
            Some(pack) => pack.axis_values().map(|value| combo_key(shard.vars.iter().chain(value))).collect(),
        }
    };
    plan.shards.iter().flat_map(keys).collect()
}

fn growth_error(values: &[Value], problems: &Problems) -> GrowthError {
    let values = values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
    let first = problems.list().first().map_or_else(String::new, |problem| problem.message.clone());
    GrowthError::Sweep { values, first, all: problems.render(false).trim_end().to_owned() }
}

/// No new shard may have the name or a file of one that is there.
fn keep_apart(plan: &Plan, growth: &Growth) -> Result<(), GrowthError> {
    let ids: HashSet<&ShardId> = plan.shards.iter().map(|shard| &shard.id).collect();
    if let Some(same) = growth.shards.iter().find(|shard| ids.contains(&shard.id)) {
        return Err(GrowthError::SameId { id: same.id.clone(), values: growth.listed_values() });
    }
    let (start, others) = (placeholder_start(plan, "added"), placeholder_start(plan, "other"));
    let is_elsewhere = |path: &String| !Path::new(path).starts_with(&start.attempt_dir);
    let mut theirs: Option<HashMap<String, &ShardId>> = None;
    for shard in &growth.shards {
        let own: Vec<String> =
            render::own_files(plan, shard, &start)?.into_iter().filter(is_elsewhere).collect();
        if own.is_empty() {
            continue;
        }
        let theirs = match &theirs {
            Some(theirs) => theirs,
            None => theirs.insert(files_of(plan, &others)?),
        };
        if let Some((path, other)) = own.iter().find_map(|path| theirs.get_key_value(path)) {
            return Err(GrowthError::SharedFile {
                id: shard.id.clone(),
                path: path.clone(),
                other: (*other).clone(),
            });
        }
    }
    Ok(())
}

fn files_of<'p>(
    plan: &'p Plan,
    start: &render::StartValues,
) -> Result<HashMap<String, &'p ShardId>, RenderError> {
    let mut files = HashMap::new();
    for shard in &plan.shards {
        files.extend(render::own_files(plan, shard, start)?.into_iter().map(|path| (path, &shard.id)));
    }
    Ok(files)
}

#[cfg(test)]
mod tests;
