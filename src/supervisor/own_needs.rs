//! What shards need whose values change: templates of `[resources]` are rendered for edits and splits before the facts
//! are written, because neither the scheduler nor a reader of the journal knows templates.

use std::collections::HashMap;

use crate::config::edit::with_needs;
use crate::config::needs;
use crate::config::templates::render::RenderError;
use crate::model::ids::ShardId;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::nodes::order::{Order, OrderTask};
use crate::model::state::fact::Event;
use crate::model::state::run_state::RunState;
use crate::model::sweep::edit::Edit;
use crate::model::sweep::plan::{Pack, Plan, ShardSpec};
use crate::model::sweep::split::{PackSplit, PartNeeds, SplitNeeds};

/// Adds to edits and splits what the resources come to with them. Where they come to nothing valid, the shard needs
/// what it did, and a remark reports it.
pub(super) fn complete_needs(plan: &Plan, state: &RunState, facts: &mut Vec<Event>) {
    if plan.template.needs.is_empty() {
        return;
    }
    // Edits of these facts, which the state does not have yet.
    let mut edits: HashMap<ShardId, Edit> = HashMap::new();
    let mut remarks = Vec::new();
    for fact in facts.iter_mut() {
        let (shard, done) = if let Event::ShardQueued { shard, edit: Some(edit), .. } = fact {
            let done = complete_edit(plan, shard, edit);
            edits.insert(shard.clone(), Edit::clone(edit));
            (shard.clone(), done)
        } else if let Event::Node(event) = fact
            && let NodeEvent::OrderGiven { order: Order { task: OrderTask::Deal { shards, .. }, .. }, .. } =
                &mut **event
        {
            // A shard that is dealt with the very decision that queued it.
            for dealt in shards {
                if let Some(edit) = edits.get(&dealt.shard) {
                    dealt.edit = edit.clone();
                }
            }
            continue;
        } else if let Event::PackSplit(split) = fact {
            let known = || state.shard(&split.shard).map(|shard| shard.edit.clone());
            let edit = edits.get(&split.shard).cloned().or_else(known).unwrap_or_default();
            (split.shard.clone(), complete_split(plan, split, &edit))
        } else {
            continue;
        };
        if let Err(error) = done {
            let text = format!("{shard} needs what it did: with its new values {error}");
            remarks.push(Event::Remarked { about: None, text });
        }
    }
    facts.extend(remarks);
}

fn complete_edit(plan: &Plan, shard: &ShardId, edit: &mut Edit) -> Result<(), RenderError> {
    let Some(spec) = plan.shards.iter().find(|spec| spec.id == *shard) else { return Ok(()) };
    *edit = with_needs(plan, &ShardSpec { edit: edit.clone(), ..spec.clone() })?;
    Ok(())
}

fn complete_split(plan: &Plan, split: &mut PackSplit, edit: &Edit) -> Result<(), RenderError> {
    let whole = plan.shards.iter().find(|spec| spec.id == split.shard);
    let Some((whole, pack)) = whole.and_then(|whole| Some((whole, whole.pack.as_ref()?))) else {
        return Ok(());
    };
    let (first, rest) = pack.values.split_at(split.keeps.min(pack.values.len()));
    let part = |id: &ShardId, index, values: &[_]| {
        let pack = Some(Pack { index, values: values.to_vec(), ..pack.clone() });
        part_needs(plan, ShardSpec { id: id.clone(), pack, edit: Edit::default(), ..whole.clone() }, edit)
    };
    let keeps = part(&split.shard, pack.index, first)?;
    let other = part(&split.other, split.index, rest)?;
    split.needs = Some(Box::new(SplitNeeds { keeps, other }));
    Ok(())
}

fn part_needs(plan: &Plan, part: ShardSpec, edit: &Edit) -> Result<PartNeeds, RenderError> {
    let plain = needs::of_shard(plan, &part)?;
    let edited = ShardSpec { needs: plain.clone(), edit: edit.clone(), ..part };
    Ok(PartNeeds { edited: with_needs(plan, &edited)?.needs, plain })
}
