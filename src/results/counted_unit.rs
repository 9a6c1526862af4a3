//! What shards count: episodes, or the word that their logs have for it.

use crate::model::outcome::Progress;
use crate::model::state::phase::PhaseKind;
use crate::model::sweep::plan::ShardSpec;

/// Default unit of progress.
pub const EPISODES: &str = "episodes";

/// The unit of packs whose progress is that of their values.
const VALUES: &str = "values";

/// Words for counts that no success is a share of.
const NO_EPISODES: [&str; 9] =
    ["batches", "epochs", "iterations", "requests", "rounds", "steps", "timesteps", "updates", VALUES];

/// Returns what the progress of a shard counts, in the plural, as its log names it.
pub fn unit_of<'a>(spec: &ShardSpec, progress: Option<Progress>, told: Option<&'a str>) -> &'a str {
    let total = progress.and_then(|progress| progress.total);
    let is_of_values = spec
        .pack
        .as_ref()
        .is_some_and(|pack| pack.values.len() > 1 && total == u64::try_from(pack.values.len()).ok());
    match told {
        _ if is_of_values => VALUES,
        // An own pattern or a file may count anything.
        Some("done") | None => EPISODES,
        Some(told) => told,
    }
}

/// Whether counts of that are counts of episodes.
pub fn is_of_episodes(unit: &str) -> bool {
    !NO_EPISODES.contains(&unit)
}

/// The heading of a column with the counts of several shards: their word where they have one, else `done`.
pub fn count_heading<'a>(units: impl IntoIterator<Item = (PhaseKind, &'a str)>) -> &'a str {
    let begun = units.into_iter().filter(|(kind, _)| *kind != PhaseKind::Queued);
    let mut units = begun.map(|(_, unit)| if is_of_episodes(unit) { EPISODES } else { unit });
    let Some(first) = units.next() else { return EPISODES };
    if units.all(|unit| unit == first) { first } else { "done" }
}
