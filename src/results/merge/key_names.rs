//! The meaning of a document's values by their names: settings, counts of episodes, or figures of each
//! episode.

use super::episode_numbers::SEEDS;

/// Maps that hold what a program was started with.
const SETTINGS: [&str; 16] = [
    "config", "cfg", "settings", "args", "arguments", "params", "parameters", "hyperparameters", "hparams",
    "options", "metadata", "meta", "env_config", "policy_config", "versions", "env_args",
];

/// Names that programs give the number of episodes.
const EPISODES: [&str; 12] = [
    "episodes", "n_episodes", "num_episodes", "total_episodes", "episode_count", "n_eval_episodes", "trials",
    "n_trials", "num_trials", "rollouts", "n_rollouts", "num_rollouts",
];

/// Numbers that count something of the episodes.
const COUNTS: [&str; 18] = [
    "successes", "success", "n_success", "n_successes", "num_success", "num_successes", "success_count",
    "failures", "failure", "n_failures", "num_failures", "failure_count", "collisions", "num_collisions",
    "timeouts", "crashes", "falls", "wins",
];

/// Last parts of the names of lists with one element for each episode.
const OF_EPISODES: [&str; 18] = [
    "success", "successes", "reward", "rewards", "return", "returns", "score", "scores", "length", "lengths",
    "outcome", "rollouts", "trials", "trajectories", "results", "outcomes", "episode", "episodes",
];

/// Lists of the numbers of episodes.
const LISTS_OF_NUMBERS: [&str; 6] =
    ["episode_ids", "episode_indices", "episode_index", "episode_numbers", "episodes", "episode_ix"];

/// Lists of the seeds of episodes.
const LISTS_OF_SEEDS: [&str; 3] = ["seeds", "episode_seeds", "env_seeds"];

/// Parts of the names of averages.
const AVERAGES: [&str; 5] = ["mean", "avg", "average", "std", "median"];

/// The name at the end of a path.
fn last_name(path: &[String]) -> String {
    path.last().map(|name| name.to_ascii_lowercase()).unwrap_or_default()
}

fn has_part(name: &str, parts: &[&str]) -> bool {
    name.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| parts.contains(&part))
}

/// Whether the path leads to what a program was started with.
pub fn is_setting(path: &[String]) -> bool {
    path.iter().any(|step| SETTINGS.contains(&step.to_ascii_lowercase().as_str()))
}

/// Whether the value is the number of episodes.
pub fn is_episode_count(path: &[String]) -> bool {
    EPISODES.contains(&last_name(path).as_str())
}

/// Whether the value is a number of things that happened in the episodes, so that those of shards add up.
pub fn is_count(path: &[String]) -> bool {
    let name = last_name(path);
    COUNTS.contains(&name.as_str()) || name.starts_with("total_") || name.starts_with("sum_")
}

/// Whether the value is an average.
pub fn is_average(path: &[String]) -> bool {
    has_part(&last_name(path), &AVERAGES)
}

/// Whether the list has one element for each episode.
pub fn is_of_episodes(path: &[String]) -> bool {
    // Those of `reward_weights` are weights.
    last_name(path)
        .rsplit(|c: char| !c.is_ascii_alphanumeric())
        .next()
        .is_some_and(|part| OF_EPISODES.contains(&part))
}

/// Whether a map with this member is about one episode.
pub fn is_of_episode(member: &str) -> bool {
    SEEDS.contains(&member) || has_part(member, &OF_EPISODES)
}

/// Whether the list is that of the numbers of episodes.
pub fn is_list_of_numbers(path: &[String]) -> bool {
    LISTS_OF_NUMBERS.contains(&last_name(path).as_str())
}

/// Whether the list is that of the seeds of episodes.
pub fn is_list_of_seeds(path: &[String]) -> bool {
    LISTS_OF_SEEDS.contains(&last_name(path).as_str())
}

/// The path as a rule names it; a step into each element of a list is `[]`.
pub fn rule_key(path: &[String]) -> String {
    path.join(".").replace(".[]", "[]")
}
