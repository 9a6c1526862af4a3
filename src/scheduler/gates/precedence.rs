//! Which shard is looked at first when slots are free: the order of the policy, and before it what users want.

use std::borrow::Cow;
use std::cmp::Reverse;

use crate::scheduler::decision_builder::DecisionBuilder;

/// Positions of shards of the state, the first to start first. Without a wish of a user it is the policy's order
/// unchanged, which may hold shards of a split that the state does not know before the next decision.
pub fn start_order<'p>(builder: &DecisionBuilder<'p>) -> Cow<'p, [usize]> {
    let policy = builder.policy;
    if !builder.tally().has_moved() {
        return Cow::Borrowed(&policy.order);
    }
    let mut order = policy.order.clone();
    let positions = builder.positions();
    order.retain(|position| positions.contains(position));
    // The sort is stable, so that equals keep the order of the policy.
    order.sort_by_key(|position| Reverse(builder.shard(*position).priority));
    Cow::Owned(order)
}
