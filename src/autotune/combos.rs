//! For which combo of the sweep was measured, and what follows for the others: where `[resources]` has
//! templates, combos have different room, and what was measured of one holds for those that get the same.

use serde::Serialize;

use super::facts::Facts;
use super::room::{Footprint, compute_limits};
use super::setting::AdvisedSetting;
use crate::model::ids::ShardId;
use crate::model::needs::own_needs::OwnNeeds;
use crate::model::sweep::plan::{Plan, ShardSpec};
use crate::model::units::{Bytes, or_unknown};

/// The combo that was measured, and the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Combos {
    /// The shard that was tried.
    pub shard: ShardId,
    /// Its values: `policy=flat env=stairs`; empty where the sweep has no axes.
    pub values: String,
    /// How many other combos the sweep has.
    pub others: usize,
    /// Resources that the sweep gives to its combos, where they differ; those of the measured combo first.
    pub needs: Vec<ComboNeeds>,
    /// Settings measured for keys of `[resources]` that are templates: they hold for this combo alone.
    pub own: Vec<AdvisedSetting>,
}

/// Combos with the same resources.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComboNeeds {
    /// The first shard with them.
    pub shard: ShardId,
    /// Values of the first shard: `policy=flat env=stairs`.
    pub values: String,
    /// How many shards have them.
    pub shards: usize,
    /// The resources in words.
    pub needs: String,
    /// How many fit side by side: as measured, or by what the sweep declares; `None` where it declares nothing.
    pub side_by_side: Option<u32>,
    /// These are the resources of the combo that was measured.
    pub is_measured: bool,
}

/// Returns the combos the advice is about; takes the settings that hold for one combo alone out of the others.
pub fn collect_combos(
    facts: &Facts<'_>,
    parallel: u32,
    settings: &mut Vec<AdvisedSetting>,
) -> Option<Combos> {
    let plan = facts.plan;
    let shard = plan.shards.get(facts.shard)?;
    let is_template = |setting: &AdvisedSetting| {
        setting.tables() == ["resources"] && plan.template.needs.contains_key(setting.key())
    };
    let own = settings.extract_if(.., |setting| is_template(setting)).collect();
    let mut others: Vec<&ShardSpec> = Vec::new();
    for other in plan.shards.iter().filter(|other| other.vars != shard.vars) {
        if others.last().is_none_or(|last| last.vars != other.vars) {
            others.push(other);
        }
    }
    Some(Combos {
        shard: shard.id.clone(),
        values: format_values(shard),
        others: others.len(),
        needs: collect_needs(facts, shard, parallel),
        own,
    })
}

/// Returns an entry for each set of different resources; empty if all shards have the same.
fn collect_needs(facts: &Facts<'_>, measured: &ShardSpec, parallel: u32) -> Vec<ComboNeeds> {
    let plan = facts.plan;
    let (known, kind_of) = plan.distinct_needs();
    if known.len() < 2 {
        return Vec::new();
    }
    let of_kind = |(number, needs): (usize, &&OwnNeeds)| {
        let all = || plan.shards.iter().zip(&kind_of).filter(|(_, kind)| **kind == number);
        let is_measured = **needs == *measured.needs_in_force();
        let shard = if is_measured { measured } else { all().next()?.0 };
        Some(ComboNeeds {
            shard: shard.id.clone(),
            values: format_values(shard),
            shards: all().count(),
            needs: needs.to_text(),
            side_by_side: if is_measured { Some(parallel) } else { count_declared_fit(facts, plan, shard) },
            is_measured,
        })
    };
    let mut all: Vec<ComboNeeds> = known.iter().enumerate().filter_map(of_kind).collect();
    all.sort_by_key(|needs| !needs.is_measured);
    all
}

/// So many fit by what the sweep declares for the shard.
fn count_declared_fit(facts: &Facts<'_>, plan: &Plan, shard: &ShardSpec) -> Option<u32> {
    let resources = plan.resources_of(shard);
    let largest = facts.machine.gpus.iter().filter_map(|gpu| Some(gpu.memory?.total)).max();
    let slots = resources.gpu_slots(facts.machine.gpus.len());
    let vram = slots.iter().filter_map(|slot| (*slot)?.bytes_on_card(largest)).max();
    let footprint = Footprint {
        gpus: if facts.machine.gpus.is_empty() { 0 } else { slots.len() },
        vram: vram.filter(|vram| *vram > Bytes(0)),
        ram: resources.ram,
        cores: resources.cpus.map(f64::from),
        exclusive: resources.exclusive,
    };
    let limits = compute_limits(facts.machine, &footprint, plan.schedule.reserve_vram);
    limits.into_iter().map(|limit| limit.count).min()
}

fn format_values(shard: &ShardSpec) -> String {
    shard.vars.iter().map(|(axis, value)| format!("{axis}={value}")).collect::<Vec<_>>().join(" ")
}

impl Combos {
    /// For people: the combo that was measured, and the table of the others.
    pub fn to_text(&self) -> String {
        let of = if self.values.is_empty() { String::new() } else { format!(" ({})", self.values) };
        let mut text = format!("\nmeasured on {}{of}", self.shard);
        if self.others > 0 && self.needs.is_empty() {
            let combos = if self.others == 1 { "the other combo" } else { "the other combos" };
            text.push_str(&format!("; {combos} may take more or less, --shard measures another"));
        }
        text.push('\n');
        if !self.needs.is_empty() {
            text.push_str(
                "the sweep gives its combos different resources, and the advice is for the measured one:\n",
            );
            text.push_str(&self.format_table());
        }
        for setting in &self.own {
            let (key, value) = (setting.key(), setting.value.to_toml());
            text.push_str(&format!(
                "`{key}` is a template of the sweep; here {value}: {}\n",
                setting.because
            ));
        }
        text
    }

    fn format_table(&self) -> String {
        let row = |needs: &ComboNeeds| {
            let more =
                if needs.shards > 1 { format!(" and {} more", needs.shards - 1) } else { String::new() };
            let count = or_unknown(needs.side_by_side, |count| count.to_string());
            let basis = if needs.is_measured { "measured" } else { "by what it declares" };
            [format!("{}{more}", needs.values), needs.needs.clone(), count, basis.to_owned()]
        };
        let head = ["combo", "resources", "side by side", ""].map(str::to_owned);
        let rows: Vec<[String; 4]> = std::iter::once(head).chain(self.needs.iter().map(row)).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths = [width(0), width(1), width(2)];
        let line = |[combo, needs, count, basis]: &[String; 4]| {
            let [first, second, third] = widths;
            let line = format!("  {combo:first$}  {needs:second$}  {count:>third$}  {basis}");
            format!("{}\n", line.trim_end())
        };
        rows.iter().map(line).collect()
    }
}
