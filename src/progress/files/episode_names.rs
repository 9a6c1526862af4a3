//! The names under which programs write which episode a row is of, and how it ended.

/// The names that the number of an episode goes by.
pub const NUMBERS: [&str; 6] = ["episode", "episode_ix", "episode_index", "episode_id", "trial", "ep"];

/// The names that its success goes by.
pub const SUCCESSES: [&str; 5] = ["success", "is_success", "succeeded", "success_once", "solved"];

/// The names that its seed goes by.
pub const SEEDS: [&str; 4] = ["seed", "episode_seed", "env_seed", "init_state"];

/// Names that distinguish tasks, in this order.
pub const TASKS: [&str; 8] =
    ["suite", "task_group", "task_id", "task", "task_name", "env", "env_id", "split"];
