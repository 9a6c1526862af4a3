//! `[resources]`: what one shard needs of the machine.

use std::collections::BTreeMap;

use toml::de::DeValue;

use super::problem::Problem;
use super::table::Table;
use crate::model::plan::{ComponentNeed, GpuNeed, Resources, VramNeed};

/// Reads the table.
pub(super) fn read(root: &Table<'_>) -> Resources {
    let table = root.table("resources");
    let gpus = gpus(&table);
    let vram =
        if table.is_auto("vram") { Some(VramNeed::Auto) } else { table.bytes("vram").map(VramNeed::Fixed) };
    let resources = Resources { gpus, vram, cpus: table.number("cpus", 1), ram: table.bytes("ram") };
    table.finish();
    resources
}

/// A number for the whole process, or one for each of its components.
fn gpus(table: &Table<'_>) -> Option<GpuNeed> {
    let components = table.get("components").map(|_| components(&table.table("components")));
    let value = table.get("gpus");
    if let (Some(_), Some(value)) = (&components, value) {
        let hint = "keep one of them: the GPUs of the components are added up";
        table.sink().add(Problem::new(value.span(), "both `gpus` and `components` are given").hint(hint));
    }
    components.or_else(|| match value?.get_ref() {
        DeValue::Table(_) => Some(self::components(&table.table("gpus"))),
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_) => table.number("gpus", 0).map(GpuNeed::Count),
    })
}

fn components(table: &Table<'_>) -> GpuNeed {
    let mut needs = BTreeMap::new();
    for (name, span, _) in table.entries() {
        let Some(component) = table.member(name) else { continue };
        let need =
            ComponentNeed { gpus: component.number("gpus", 0).unwrap_or(1), vram: component.bytes("vram") };
        component.finish();
        if needs.insert(name.to_owned(), need).is_some() {
            table.sink().add(Problem::new(span, format!("the component `{name}` is given twice")));
        }
    }
    GpuNeed::Components(needs)
}
