//! `[resources]`: what one shard needs of the machine.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::DeValue;

use crate::config::document::problem::Problem;
use crate::config::document::table::Table;
use crate::config::needs::{MOST_GPUS, NeedKey, NeedTemplates};
use crate::model::machine::gpu_permit::{InheritedGpus, check_name};
use crate::model::needs::resources::{ComponentNeed, GpuNeed, Resources};

/// The kernel knows no larger niceness.
const LEAST_URGENT: u32 = 19;

/// Reads the `[resources]` table; values that are templates go into `templates`.
pub(in crate::config) fn read_resources(root: &Table<'_>, templates: &mut NeedTemplates) -> Resources {
    let table = root.get_table("resources");
    let mut is_own = |key, meaning| templates.take_template(&table, key, meaning);
    let (own_vram, own_cpus) = (is_own("vram", NeedKey::Vram), is_own("cpus", NeedKey::Cpus));
    let (own_ram, own_tenancy) = (is_own("ram", NeedKey::Ram), is_own("exclusive", NeedKey::Exclusive));
    let resources = Resources {
        gpus: read_gpu_need(&table, templates),
        vram: if own_vram { None } else { table.get_vram("vram") },
        devices: read_devices(&table),
        inherited: InheritedGpus::default(),
        cpus: if own_cpus { None } else { table.get_integer("cpus", 1) },
        ram: if own_ram { None } else { table.get_bytes("ram") },
        exclusive: !own_tenancy && table.get_flag("exclusive").unwrap_or(false),
        pin: table.get_flag("pin").unwrap_or(false),
        nice: read_nice(&table),
    };
    if let (true, None, false, Some(pin)) = (resources.pin, resources.cpus, own_cpus, table.get("pin")) {
        let hint = "say how many cores each shard has, such as `cpus = 4`";
        table.sink().add(Problem::new(pin.span(), "`pin` needs `cpus`").with_hint(hint));
    }
    table.report_unknown_keys();
    resources
}

/// Numbers and UUIDs of GPUs.
pub(super) fn read_devices(table: &Table<'_>) -> Vec<String> {
    let Some(value) = table.get("devices") else { return Vec::new() };
    let names = table.numbers_or_texts("devices");
    for name in &names {
        if let Err(message) = check_name(name.get_ref()) {
            table.sink().add(Problem::new(name.span(), message));
        }
    }
    if value.get_ref().as_array().is_some_and(|items| items.iter().next().is_none()) {
        let hint = "leave it out for all GPUs, or set `gpus = 0` for none";
        table.sink().add(Problem::new(value.span(), "`devices` names no GPU").with_hint(hint));
    }
    names.into_iter().map(Spanned::into_inner).collect()
}

/// Others are never made to wait for an evaluation: that takes rights which a user seldom has.
fn read_nice(table: &Table<'_>) -> u32 {
    let Some(nice) = table.get_integer("nice", 0) else { return 0 };
    if nice > LEAST_URGENT {
        let span = table.get("nice").map_or(table.span(), |value| value.span());
        let message = format!("`nice` is {nice}, and {LEAST_URGENT} is the least urgent there is");
        table.sink().add(Problem::new(span, message));
        return 0;
    }
    nice
}

/// A number for the whole process, or one for each of its components.
fn read_gpu_need(table: &Table<'_>, templates: &mut NeedTemplates) -> Option<GpuNeed> {
    let components =
        table.get("components").map(|_| read_components(&table.get_table("components"), templates));
    let value = table.get("gpus");
    if let (Some(_), Some(value)) = (&components, value) {
        let hint = "keep one of them: the GPUs of the components are added up";
        table
            .sink()
            .add(Problem::new(value.span(), "both `gpus` and `components` are given").with_hint(hint));
    }
    components.or_else(|| match value?.get_ref() {
        DeValue::Table(_) => Some(read_components(&table.get_table("gpus"), templates)),
        DeValue::String(_) if templates.take_template(table, "gpus", NeedKey::Gpus) => None,
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_) => gpu_count(table).map(GpuNeed::Count),
    })
}

fn read_components(table: &Table<'_>, templates: &mut NeedTemplates) -> GpuNeed {
    let mut needs = BTreeMap::new();
    let mut shared_by_combo = false;
    for (name, span, _) in table.entries() {
        let Some(component) = table.named_table(name) else { continue };
        let mut is_own = |key, meaning| templates.take_template(&component, key, meaning);
        let own_gpus = is_own("gpus", NeedKey::ComponentGpus(name.to_owned()));
        let own_vram = is_own("vram", NeedKey::ComponentVram(name.to_owned()));
        let own_shared = is_own("shared", NeedKey::ComponentShared(name.to_owned()));
        shared_by_combo |= own_shared;
        let need = ComponentNeed {
            gpus: if own_gpus { 1 } else { gpu_count(&component).unwrap_or(1) },
            vram: if own_vram { None } else { component.get_vram("vram") },
            shared: !own_shared && component.get_flag("shared").unwrap_or(false),
        };
        component.report_unknown_keys();
        if needs.insert(name.to_owned(), need).is_some() {
            table.sink().add(Problem::new(span, format!("the component `{name}` is given twice")));
        }
    }
    if let [(name, _)] = *needs.iter().filter(|(_, need)| need.shared).collect::<Vec<_>>()
        && !shared_by_combo
    {
        let message = format!("only `{name}` is shared");
        let hint = "set `shared = true` on the components that lie on the same GPUs";
        table.sink().add(Problem::new(table.span(), message).with_hint(hint));
    }
    GpuNeed::Components(needs)
}

/// A number of GPUs that a machine can have.
fn gpu_count(table: &Table<'_>) -> Option<u32> {
    let count = table.get_integer("gpus", 0)?;
    let value = table.get("gpus")?;
    if count > MOST_GPUS {
        let message = format!("`gpus` is {count}, and no machine has more than {MOST_GPUS}");
        table.sink().add(Problem::new(value.span(), message));
        return None;
    }
    Some(count)
}
