//! The values templates see: those of the shard, and those known only when an attempt starts.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use minijinja::Value;
use minijinja::value::{Enumerator, Object, ObjectRepr};

use super::program_path::ProgramPath;
use super::template::Context;
use crate::model::ids::GpuIndex;
use crate::model::needs::resources::{GpuNeed, Resources};
use crate::model::sweep::plan::{Pack, PackedValue, Slice};
use crate::model::value::{Value as Scalar, Variables};

/// Names whose values are known only when an attempt starts.
pub(in crate::config) const START_NAMES: [&str; 7] =
    ["attempt", "gpus", "out", "port", "previous", "run_dir", "service"];

/// Names among them that are known of the first attempt, which is the one that is shown.
pub(in crate::config) const FIRST_NAMES: [&str; 2] = ["attempt", "previous"];

/// Members of the variable `previous`.
pub(in crate::config) const PREVIOUS_MEMBERS: [&str; 3] = ["attempt", "done", "out"];

/// Names that commands of the user's own may use.
pub(in crate::config) const OWN_COMMAND_NAMES: [&str; 7] =
    ["attempt", "gpus", "id", "log", "out", "pid", "run_dir"];

/// Names an axis cannot have, because they mean something already.
pub(in crate::config) const TAKEN_NAMES: [&str; 10] =
    ["attempt", "gpus", "id", "out", "pack", "port", "previous", "run_dir", "service", "shard"];

/// Members of the variable `shard`.
pub(in crate::config) const SLICE_MEMBERS: [&str; 6] = ["index", "count", "episodes", "first", "seed", "ids"];

/// Members of `pack`, in addition to one for each packed axis.
pub(in crate::config) const PACK_MEMBERS: [&str; 5] = ["index", "axis", "axes", "values", "count"];

/// The variables of a shard that its id may use.
pub(in crate::config) fn of_shard(vars: &Variables, slice: Option<&Slice>, pack: Option<&Pack>) -> Context {
    let mut context: Context =
        vars.iter().map(|(name, value)| (name.to_owned(), template_value(value))).collect();
    if let Some(slice) = slice {
        context.insert("shard".to_owned(), Value::from_pairs(slice_members(slice)));
    }
    if let Some(pack) = pack {
        context.insert("pack".to_owned(), Value::from_pairs(pack_members(pack)));
    }
    context
}

fn slice_members(slice: &Slice) -> [(&'static str, Value); 6] {
    [
        ("index", slice.index.into()),
        ("count", slice.count.into()),
        ("episodes", slice.episodes.into()),
        ("first", slice.first.into()),
        ("seed", slice.seed.into()),
        ("ids", Value::from_object(CommaList::from_numbers(slice.ids.iter().copied()))),
    ]
}

fn pack_members(pack: &Pack) -> Vec<(&str, Value)> {
    let values = pack.values.iter().map(|value| packed_value(pack, value)).collect();
    let axes = pack.axes.iter().map(|axis| axis.as_str().into()).collect();
    let own = pack.axes.iter().map(|axis| {
        let values = pack.values_of(axis).unwrap_or_default();
        (
            axis.as_str(),
            Value::from_object(CommaList::from_items(values.into_iter().map(template_value).collect())),
        )
    });
    let common = [
        ("index", pack.index.into()),
        ("axis", pack.axes.join(",").into()),
        ("axes", Value::from_object(CommaList::from_items(axes))),
        ("values", Value::from_object(CommaList::from_items(values))),
        ("count", pack.values.len().into()),
    ];
    own.chain(common).collect()
}

/// A value of one axis is itself; one of several has a member for each: `{% for v in pack.values %}{{ v.task }}`.
fn packed_value(pack: &Pack, PackedValue(values): &PackedValue) -> Value {
    if let [only] = &values[..] {
        return template_value(only);
    }
    let items: Vec<Value> = values.iter().map(template_value).collect();
    let parts = pack.axes.iter().cloned().zip(items.iter().cloned()).collect();
    Value::from_object(CommaList { items, parts, text: None })
}

/// A matrix value with its type, so that arithmetic works.
pub(in crate::config) fn template_value(value: &Scalar) -> Value {
    match value {
        Scalar::Boolean(flag) => (*flag).into(),
        Scalar::Integer(number) => (*number).into(),
        Scalar::Float(number) => (*number).into(),
        Scalar::String(text) => text.as_str().into(),
    }
}

/// Facts that are known once an attempt has its place on the machine.
pub(in crate::config) struct StartFacts<'a> {
    pub(in crate::config) attempt: u32,
    pub(in crate::config) out: String,
    pub(in crate::config) run_dir: String,
    pub(in crate::config) gpus: &'a [GpuIndex],
    pub(in crate::config) port: Option<u16>,
    /// None for an attempt that starts from the beginning.
    pub(in crate::config) previous: Option<PreviousFacts>,
}

/// The attempt whose work is continued, as templates see it.
pub(in crate::config) struct PreviousFacts {
    pub(in crate::config) attempt: u32,
    pub(in crate::config) out: String,
    pub(in crate::config) done: Option<u64>,
}

/// `previous`: without members, and not true, where there is none.
#[derive(Debug)]
struct Previous(BTreeMap<&'static str, Value>);

impl Previous {
    fn from_facts(previous: Option<&PreviousFacts>) -> Self {
        let Some(previous) = previous else { return Self(BTreeMap::new()) };
        let path = Value::from_object(ProgramPath(previous.out.clone()));
        let known = [("attempt", previous.attempt.into()), ("out", path)];
        Self(known.into_iter().chain(previous.done.map(|done| ("done", done.into()))).collect())
    }
}

impl Object for Previous {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.0.get(key.as_str()?).cloned()
    }

    fn is_true(self: &Arc<Self>) -> bool {
        !self.0.is_empty()
    }

    /// The number of the attempt.
    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.get("attempt").map_or(Ok(()), |attempt| write!(f, "{attempt}"))
    }
}

/// Adds the values known at the start.
pub(in crate::config) fn add_start(context: &mut Context, facts: &StartFacts<'_>, resources: &Resources) {
    context.insert("attempt".to_owned(), facts.attempt.into());
    context.insert("out".to_owned(), Value::from_object(ProgramPath(facts.out.clone())));
    context.insert("run_dir".to_owned(), Value::from_object(ProgramPath(facts.run_dir.clone())));
    context.insert("gpus".to_owned(), Value::from_object(listed_gpus(facts.gpus, resources)));
    if let Some(port) = facts.port {
        context.insert("port".to_owned(), port.into());
    }
    context.insert("previous".to_owned(), Value::from_object(Previous::from_facts(facts.previous.as_ref())));
}

/// GPUs that print with commas.
pub(in crate::config) fn gpu_list(gpus: &[GpuIndex]) -> Value {
    Value::from_object(CommaList::from_numbers(gpus.iter().map(|gpu| u64::from(gpu.0))))
}

/// All GPUs of the attempt, and those of each component.
fn listed_gpus(gpus: &[GpuIndex], resources: &Resources) -> CommaList {
    let mut listed = CommaList::from_numbers(gpus.iter().map(|gpu| u64::from(gpu.0)));
    for (name, range) in resources.gpus.iter().flat_map(GpuNeed::component_ranges) {
        // A trial has fewer GPUs than a shard may ask for.
        let own = gpus.get(range.start..range.end.min(gpus.len())).unwrap_or_default();
        let mut part = CommaList::from_numbers(own.iter().map(|gpu| u64::from(gpu.0)));
        part.text = Some(format_gpu_ranges(own));
        listed.parts.insert(name.to_owned(), Value::from_object(part));
    }
    listed
}

/// GPUs in the grammar of RLinf's `component_placement`: `0-1`, `0-1,3`.
fn format_gpu_ranges(gpus: &[GpuIndex]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for GpuIndex(gpu) in gpus {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*gpu) => *last = *gpu,
            Some(_) | None => runs.push((*gpu, *gpu)),
        }
    }
    let run = |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    runs.into_iter().map(run).collect::<Vec<_>>().join(",")
}

/// A list that prints with commas, as command lines want it, and may have named parts: `{{ gpus.env }}`.
#[derive(Debug)]
struct CommaList {
    items: Vec<Value>,
    parts: BTreeMap<String, Value>,
    /// How it prints, where not with commas.
    text: Option<String>,
}

impl CommaList {
    fn from_items(items: Vec<Value>) -> Self {
        Self { items, parts: BTreeMap::new(), text: None }
    }

    fn from_numbers(numbers: impl Iterator<Item = u64>) -> Self {
        Self::from_items(numbers.map(Value::from).collect())
    }
}

impl Object for CommaList {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match key.as_str() {
            Some(part) => self.parts.get(part).cloned(),
            None => self.items.get(key.as_usize()?).cloned(),
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.items.len())
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = &self.text {
            return f.write_str(text);
        }
        for (index, item) in self.items.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            write!(f, "{item}")?;
        }
        Ok(())
    }
}
