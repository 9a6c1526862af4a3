//! Where dealt shards come from: a node knows the first plan only.

use std::collections::HashSet;

use crate::model::ids::ShardId;
use crate::model::nodes::order::DealtShard;
use crate::model::sweep::growth::{Growth, PlanChange};
use crate::model::sweep::plan::ShardSpec;
use crate::model::sweep::split::PackSplit;

/// The values that were added to the run, as far as they brought these shards or packs that they were a part of, and how
/// those were split, each in the order in which it happened.
pub(super) fn find_lineage(changes: &[PlanChange], dealt: &[DealtShard]) -> (Vec<Growth>, Vec<PackSplit>) {
    let mut line: HashSet<&ShardId> = dealt.iter().map(|dealt| &dealt.shard).collect();
    // From the newest: a part may have been split again.
    for change in changes.iter().rev() {
        if let PlanChange::Split(split) = change
            && line.contains(&split.other)
        {
            line.insert(&split.shard);
        }
    }
    let mut grown = Vec::new();
    let mut splits = Vec::new();
    for change in changes {
        match change {
            PlanChange::Split(split) if line.contains(&split.shard) => splits.push(split.clone()),
            PlanChange::Split(_) => {}
            PlanChange::Growth(growth) => {
                let is_theirs = |spec: &&ShardSpec| line.contains(&spec.id);
                let shards: Vec<ShardSpec> = growth.shards.iter().filter(is_theirs).cloned().collect();
                if !shards.is_empty() {
                    let (axis, values) = (growth.axis.clone(), growth.values.clone());
                    grown.push(Growth { axis, values, shards, by: None });
                }
            }
        }
    }
    (grown, splits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::priority::Priority;
    use crate::model::sweep::edit::Edit;
    use crate::model::sweep::split::SplitCause;

    fn id(name: &str) -> ShardId {
        ShardId::new(name).unwrap()
    }

    fn split(shard: &str, other: &str) -> PlanChange {
        let cause = SplitCause::OutOfMemory;
        PlanChange::Split(PackSplit {
            shard: id(shard),
            keeps: 1,
            other: id(other),
            index: 1,
            cause,
            needs: None,
        })
    }

    fn splits_for(shard: &str) -> Vec<String> {
        let changes = [split("p", "q"), split("x", "y"), split("q", "r"), split("p", "s"), split("s", "t")];
        let (edit, priority) = (Edit::default(), Priority::USUAL);
        let dealt = DealtShard { shard: id(shard), attempt: None, edit, priority };
        let (_, splits) = find_lineage(&changes, &[dealt]);
        splits.iter().map(|split| format!("{}>{}", split.shard, split.other)).collect()
    }

    #[test]
    fn a_part_comes_with_every_split_of_the_packs_that_it_was_a_part_of() {
        assert_eq!(splits_for("p"), ["p>q", "p>s"], "what it keeps");
        assert_eq!(splits_for("r"), ["p>q", "q>r", "p>s"]);
        assert_eq!(splits_for("t"), ["p>q", "p>s", "s>t"]);
        assert_eq!(splits_for("y"), ["x>y"]);
        assert!(splits_for("z").is_empty(), "a whole pack");
    }
}
