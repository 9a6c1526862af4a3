//! Which episode of one policy or run is the same as one of another, where its shard tells all of them.

use super::design::Why;
use crate::model::analysis::Pairing;
pub use crate::model::episode_source::EpisodeKey;
use crate::model::episode_source::{EpisodeSource, NoKey};
use crate::model::plan::Plan;
use crate::results::outcome::ShardOutcome;

/// Each episode of a shard with its key, or why it has none.
pub fn keyed<'a>(plan: &Plan, outcome: &ShardOutcome<'a>) -> Result<Vec<(EpisodeKey<'a>, bool)>, Why> {
    if plan.analysis.paired == Pairing::Never {
        return Err(Why::Unwanted);
    }
    let list = outcome.episode_list.ok_or(Why::NotTold)?;
    let told: Vec<bool> = list.episodes().filter_map(|episode| episode.success).collect();
    let successes = told.iter().filter(|success| **success).count() as f64;
    if outcome.episodes != Some(told.len() as f64) || outcome.successes != Some(successes) {
        return Err(Why::Contradiction);
    }
    EpisodeSource::of(plan, outcome.spec).keyed(list).map_err(|no_key| match no_key {
        NoKey::Unwanted => Why::Unwanted,
        NoKey::SeedUnknown => Why::SeedUnknown,
    })
}
