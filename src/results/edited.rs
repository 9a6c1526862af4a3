//! Shards that ran with other values than the sweep gives them: their results must not be taken for those of the sweep.

use super::outcome::ShardOutcome;

/// So many are named.
const NAMED: usize = 5;

/// Returns one line that names edited shards, if there are any: they count under the values of the sweep.
pub fn find_edit_warnings(outcomes: &[ShardOutcome<'_>]) -> Vec<String> {
    let edited: Vec<String> =
        outcomes.iter().filter_map(|outcome| Some(format!("{} ({})", outcome.id(), outcome.edit?))).collect();
    if edited.is_empty() {
        return Vec::new();
    }
    let more =
        if edited.len() > NAMED { format!(" and {} more", edited.len() - NAMED) } else { String::new() };
    let ran = if edited.len() == 1 { "1 shard ran" } else { &format!("{} shards ran", edited.len()) };
    let named = edited.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ");
    vec![format!(
        "{ran} with edited values, and still counts under those of the sweep in every table: {named}{more}"
    )]
}
