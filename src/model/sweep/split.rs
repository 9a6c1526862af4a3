//! A pack that is too large is split: the first of its values stay with the shard, the rest becomes a new one.

use serde::{Deserialize, Serialize};

use super::command_template::CommandTemplate;
use super::edit::Edit;
use super::plan::{Pack, Plan, ShardSpec};
use super::shard_template::ShardTemplate;
use crate::model::history::ShardHistory;
use crate::model::ids::ShardId;
use crate::model::needs::own_needs::OwnNeeds;

/// A pack that was split, with the shards that came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PackSplit {
    /// The shard that keeps the first values.
    pub shard: ShardId,
    /// Number of values that it keeps.
    pub keeps: usize,
    /// The new shard, with the others.
    pub other: ShardId,
    /// The number of its pack; no other pack of the run has it, because files may be named after it.
    pub index: u32,
    /// The reason for the split.
    #[serde(default, skip_serializing_if = "SplitCause::is_out_of_memory")]
    pub cause: SplitCause,
    /// The needs of the parts, where they depend on the values; journals of earlier versions do not have them, and then
    /// each part needs what the whole pack did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<Box<SplitNeeds>>,
}

/// Why a pack is split.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SplitCause {
    /// The pack ran out of memory. Journals of earlier versions give this also for packs that had not started.
    #[default]
    OutOfMemory,
    /// Before its start: packs of its size are known not to fit.
    KnownSize,
    /// Before its start: the sweep leaves the size of packs to what fits.
    AutoSize,
    /// By another node of the run: its parts are not here.
    Elsewhere,
}

/// Needs of the two parts of a pack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SplitNeeds {
    /// The shard that keeps the name.
    pub keeps: PartNeeds,
    /// The new shard, with the other values.
    pub other: PartNeeds,
}

/// Needs of one part of a pack.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PartNeeds {
    /// With the sweep's own values.
    pub plain: OwnNeeds,
    /// With the edit that is in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Box<OwnNeeds>>,
}

impl PackSplit {
    /// Returns the edit of the new shard, where the whole pack had this edit.
    pub fn edit_of_other(&self, whole: &Edit) -> Edit {
        let needs =
            self.needs.as_ref().map_or_else(|| whole.needs.clone(), |needs| needs.other.edited.clone());
        Edit { needs, ..whole.clone() }
    }
}

impl SplitCause {
    fn is_out_of_memory(&self) -> bool {
        *self == Self::OutOfMemory
    }

    /// Reports whether an attempt of the whole pack has shown that it is too large.
    pub fn follows_attempt(self) -> bool {
        match self {
            Self::OutOfMemory => true,
            Self::KnownSize | Self::AutoSize | Self::Elsewhere => false,
        }
    }
}

impl Plan {
    /// Brings the plan up to these splits. Splits that it has seen already change nothing.
    pub fn apply_splits(&mut self, splits: &[PackSplit]) {
        for split in splits {
            self.apply_split(split);
        }
    }

    fn apply_split(&mut self, split: &PackSplit) {
        if self.shards.iter().any(|shard| shard.id == split.other) {
            return;
        }
        let Some(shard) = self.shards.iter_mut().find(|shard| shard.id == split.shard) else { return };
        let Some(pack) = &mut shard.pack else { return };
        let all = pack.values.len();
        let rest = pack.values.split_off(split.keeps.min(all));
        let split_from = pack.split_from.map(|first| first.saturating_add(number_of(all - rest.len())));
        let other = Pack { index: split.index, values: rest, split_from, ..pack.clone() };
        // The duration of the whole does not apply to a part; the sizes that fit do.
        shard.learned = ShardHistory { pack: shard.learned.pack.take(), ..ShardHistory::default() };
        // The values of the whole pack were rendered into it; what the halves run is rendered when they start.
        shard.command = as_written(&self.template);
        let whole = shard.expected;
        let part = |values: usize| whole.map(|whole| whole.mul_f64(values as f64 / all.max(1) as f64));
        shard.expected = part(all - other.values.len());
        let expected = part(other.values.len());
        let mut new = ShardSpec { id: split.other.clone(), pack: Some(other), expected, ..shard.clone() };
        if let Some(needs) = &split.needs {
            shard.follow_needs(&needs.keeps);
            new.follow_needs(&needs.other);
        }
        self.shards.push(new);
    }
}

impl ShardSpec {
    fn follow_needs(&mut self, needs: &PartNeeds) {
        self.needs.clone_from(&needs.plain);
        self.edit.needs.clone_from(&needs.edited);
    }
}

/// Reserves for each of these packs the numbers of all parts that it can be split into, so that nodes which split packs
/// without knowing of each other never choose the same one. `first` is a number from which on no pack has one.
pub fn reserve_numbers(shards: &mut [ShardSpec], first: u32) {
    let mut next = first;
    for pack in shards.iter_mut().filter_map(|shard| shard.pack.as_mut()) {
        pack.split_from = Some(next);
        next = next.saturating_add(number_of(pack.values.len().saturating_sub(1)));
    }
}

/// The first number that no pack has or may get.
pub fn free_number(shards: &[ShardSpec]) -> u32 {
    let end = |pack: &Pack| {
        let parts = number_of(pack.values.len().saturating_sub(1));
        let reserved = pack.split_from.map_or(0, |first| first.saturating_add(parts));
        reserved.max(pack.index.saturating_add(1))
    };
    shards.iter().filter_map(|shard| shard.pack.as_ref()).map(end).max().unwrap_or(0)
}

fn number_of(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn as_written(template: &ShardTemplate) -> String {
    match &template.command {
        CommandTemplate::Shell(text) => text.clone(),
        CommandTemplate::Arguments(arguments) => arguments.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::value::Value;

    /// A plan of one pack of so many values.
    fn plan(values: i64) -> Plan {
        let values: Vec<String> = (0..values).map(|value| value.to_string()).collect();
        let text = format!(
            r#"{{"version":1,"name":"p","sweep_dir":"/","axes":[],"template":{{"cwd":"/","setup":[],
            "command":"run {{{{ pack.values }}}}","env":{{}},"artifacts":[],"secret":[]}},
            "shards":[{{"id":"p","vars":{{}},"pack":{{"index":0,"axis":"n","values":[{}]}},"command":"run 0","cwd":"/",
            "expected":60.0}}],"resources":{{"gpus":null,"vram":null,"cpus":null,"ram":null}},
            "schedule":{{"parallel":{{"fixed":1}},"order":"as-listed","reserve_vram":0,"stagger":0.0,"warmup":false,
            "cooldown":0.0,"retries":0,"stall_after":0.0,"on_stall":"show","on_oom":"back-off",
            "grace":{{"interrupt":1.0,"terminate":1.0}},"linger":5.0}},
            "progress":{{"preset":"auto","done":null,"total":null,"finished":null}},"metrics":[],"rules":[],
            "results":{{"merge":"none","reporter":null}}}}"#,
            values.join(",")
        );
        serde_json::from_str(&text).unwrap()
    }

    fn split(shard: &str, keeps: usize, other: &str, index: u32) -> PackSplit {
        let id = |name: &str| ShardId::new(name).unwrap();
        let cause = SplitCause::OutOfMemory;
        PackSplit { shard: id(shard), keeps, other: id(other), index, cause, needs: None }
    }

    #[test]
    fn what_the_parts_need_comes_with_the_split() {
        let needs = |cpus| OwnNeeds { cpus: Some(cpus), ..OwnNeeds::default() };
        let part = |cpus| PartNeeds { plain: needs(cpus), edited: None };
        let known = Some(Box::new(SplitNeeds { keeps: part(3), other: part(2) }));
        let split = PackSplit { needs: known, ..split("p", 3, "q", 1) };
        let mut plan = plan(5);
        plan.apply_splits(std::slice::from_ref(&split));
        assert_eq!(plan.shards.iter().map(|shard| shard.needs.cpus).collect::<Vec<_>>(), [Some(3), Some(2)]);
        let written = serde_json::to_string(&split).unwrap();
        assert_eq!(serde_json::from_str::<PackSplit>(&written).unwrap(), split);
        let earlier = r#"{"shard":"p","keeps":3,"other":"q","index":1}"#;
        let earlier: PackSplit = serde_json::from_str(earlier).unwrap();
        assert_eq!((earlier.cause, earlier.needs), (SplitCause::OutOfMemory, None));
    }

    #[test]
    fn nodes_that_split_the_same_pack_or_its_parts_never_choose_the_same_number() {
        let mut plan = plan(5);
        let first = free_number(&plan.shards);
        reserve_numbers(&mut plan.shards, first);
        // One node cuts the last two values off and halves them, another one halves what was kept.
        plan.apply_splits(&[split("p", 3, "q", 3), split("q", 1, "r", 4), split("p", 2, "s", 2)]);
        let shown: Vec<(&str, usize, u32)> = plan
            .shards
            .iter()
            .map(|shard| (shard.id.as_str(), shard.pack.as_ref().unwrap()))
            .map(|(id, pack)| (id, pack.values.len(), pack.split_from.unwrap()))
            .collect();
        assert_eq!(shown, [("p", 2, 1), ("q", 1, 4), ("r", 1, 5), ("s", 1, 3)]);
        assert_eq!(free_number(&plan.shards), 5);
        let written = serde_json::to_string(&plan.shards[0].pack).unwrap();
        assert!(written.contains("\"split_from\":1"), "{written}");
    }

    #[test]
    fn each_value_is_in_one_pack_however_often_a_plan_follows() {
        let mut plan = plan(5);
        let splits = [split("p", 3, "q", 1), split("p", 2, "r", 2)];
        plan.apply_splits(&splits[..1]);
        plan.apply_splits(&splits);
        let shown: Vec<(&str, Vec<&Value>)> = plan
            .shards
            .iter()
            .map(|shard| (shard.id.as_str(), shard.pack.as_ref().unwrap().values_of("n").unwrap()))
            .collect();
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(Value::Integer);
        assert_eq!(shown, [("p", vec![&a, &b]), ("q", vec![&d, &e]), ("r", vec![&c])]);
        let seconds: Vec<u64> = plan.shards.iter().map(|shard| shard.expected.unwrap().as_secs()).collect();
        assert_eq!(seconds, [24, 24, 12]);
        assert_eq!(plan.shards[1].command, "run {{ pack.values }}");
    }
}
