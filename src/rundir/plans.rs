//! The current plan of a run: `plan.json` with the splits and additions that the journal records.

use super::error::RunDirError;
use super::layout::RunDir;
use super::{proven_state, records};
use crate::model::sweep::plan::{PLAN_VERSION, Plan};

/// Reads the plan as the run was given it; refuses formats this program does not know.
pub fn read_first_plan(run: &RunDir) -> Result<Plan, RunDirError> {
    records::read_versioned(&run.plan_json(), PLAN_VERSION)
}

/// Reads the plan as it is now.
pub fn read_plan(run: &RunDir) -> Result<Plan, RunDirError> {
    let mut plan = read_first_plan(run)?;
    // Only packs are ever split, and plans of earlier versions take no further values.
    if plan.expansion.is_some() || plan.shards.iter().any(|shard| shard.pack.is_some()) {
        plan.follow_changes(&proven_state::fold_journal(run)?.changes);
    }
    Ok(plan)
}
