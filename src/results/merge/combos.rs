//! Which shards belong to one combo, and what their merged file is called.

use crate::model::sweep::plan::{Plan, ShardSpec};
use crate::model::value::{Value, Variables};

/// The shards that together do the work of one combo.
#[derive(Debug, Clone, PartialEq)]
pub struct ComboShards {
    /// Its name, fit for a folder.
    pub name: String,
    /// Values of the combo by axis.
    pub vars: Variables,
    /// Positions of its shards in the plan.
    pub shards: Vec<usize>,
}

/// The combos in the order of the sweep.
pub fn group_combos(plan: &Plan) -> Vec<ComboShards> {
    let mut combos: Vec<ComboShards> = Vec::new();
    let mut places: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    for (position, spec) in plan.shards.iter().enumerate() {
        // Values of different types may print alike: `1` and `"1"` are two.
        let place = *places.entry(format!("{:?}", spec.vars)).or_insert_with(|| {
            combos.push(ComboShards {
                name: combo_name(plan, spec),
                vars: spec.vars.clone(),
                shards: Vec::new(),
            });
            combos.len() - 1
        });
        combos[place].shards.push(position);
    }
    tell_apart(&mut combos);
    combos
}

/// The id of a combo's only shard, or that of a slice without its end; else its values.
fn combo_name(plan: &Plan, spec: &ShardSpec) -> String {
    let mut id = spec.id.as_str();
    if let Some(slice) = &spec.slice {
        let Some(base) = id.strip_suffix(&format!("_{}of{}", slice.index, slice.count)) else {
            return by_values(plan, spec);
        };
        id = base;
    }
    if let Some(pack) = &spec.pack {
        let Some(base) = id.strip_suffix(&format!("_pack{}", pack.index)) else {
            return by_values(plan, spec);
        };
        id = base;
    }
    id.to_owned()
}

fn by_values(plan: &Plan, spec: &ShardSpec) -> String {
    let text =
        |(_, value): (&str, &Value)| value.to_string().replace(|c: char| c == '/' || c.is_control(), "-");
    let joined = spec.vars.iter().map(text).collect::<Vec<_>>().join("_");
    let joined = joined.trim_start_matches(['.', '-']);
    if joined.is_empty() { plan.name.clone() } else { joined.chars().take(100).collect() }
}

fn tell_apart(combos: &mut [ComboShards]) {
    let mut seen = std::collections::HashSet::new();
    for combo in combos {
        let base = combo.name.clone();
        let mut number = 2;
        while !seen.insert(combo.name.clone()) {
            combo.name = format!("{base}-{number}");
            number += 1;
        }
    }
}
