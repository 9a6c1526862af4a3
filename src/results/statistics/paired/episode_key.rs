//! Which episode of one policy or run is the same as one of another, where its shard reports all of them.

use crate::model::analysis::Pairing;
pub use crate::model::sweep::episode_source::EpisodeKey;
use crate::model::sweep::episode_source::{EpisodeSource, Measured, NoEpisodeKey};
use crate::model::sweep::plan::Plan;
use crate::results::outcome::ShardOutcome;
use crate::results::statistics::design::Why;

/// Each episode of a shard with its key, or why it has none.
pub fn keyed_episodes<'a>(
    plan: &Plan,
    outcome: &ShardOutcome<'a>,
) -> Result<Vec<(EpisodeKey<'a>, bool)>, Why> {
    if plan.analysis.paired == Pairing::Never {
        return Err(Why::Unwanted);
    }
    let list = outcome.episode_list.ok_or(Why::NotTold)?;
    let told: Vec<bool> = list.episodes().filter_map(|episode| episode.success).collect();
    let successes = told.iter().filter(|success| **success).count() as f64;
    if outcome.episodes != Some(told.len() as f64) || outcome.successes != Some(successes) {
        return Err(Why::Contradiction);
    }
    EpisodeSource::for_shard(plan, outcome.spec).keyed_successes(list).map_err(why_no_key)
}

/// Returns each episode of a shard with its key and what was measured of it, or why it has none. Successes that are
/// reported must add up to the counts: else some are missing, or are of another run.
pub fn measured_episodes<'a>(plan: &Plan, outcome: &ShardOutcome<'a>) -> Result<Vec<Measured<'a>>, Why> {
    let list = outcome.episode_list.ok_or(Why::NotTold)?;
    let tells_success = list.episodes().any(|episode| episode.success.is_some());
    if tells_success || outcome.successes.is_some() {
        keyed_episodes(plan, outcome)?;
    }
    EpisodeSource::for_shard(plan, outcome.spec).keyed_measures(list).map_err(why_no_key)
}

fn why_no_key(no_key: NoEpisodeKey) -> Why {
    match no_key {
        NoEpisodeKey::Unwanted => Why::Unwanted,
        NoEpisodeKey::SeedUnknown => Why::SeedUnknown,
    }
}
