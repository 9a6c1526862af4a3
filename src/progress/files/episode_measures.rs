//! The numbers that a file gives for an episode besides its success: rewards and others, under the names of its
//! program.

use serde_json::Value;

use super::collected::number;
use super::episode_names::{NUMBERS, SEEDS, SUCCESSES, TASKS};
use crate::model::results::episode_values::{LONGEST_NAME, Measures};

/// Parts of names of rewards. Where there are more measures than are kept, they are kept first.
const FIRST: [&str; 3] = ["reward", "return", "score"];

/// Parts of names of what says how fast or when, and not how well.
const TIMES: [&str; 6] = ["date", "duration", "elapsed", "fps", "latency", "time"];

/// The measures of a row, or of its member `metrics`.
pub fn measures_of(row: &Value) -> Measures {
    let inner = row.get("metrics").and_then(Value::as_object);
    let members = row.as_object().into_iter().chain(inner).flatten();
    let told = members.filter(|(name, _)| is_measure(name)).filter_map(|(name, value)| match value {
        Value::Number(_) | Value::String(_) => Some((name.clone(), number(value)??)),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    });
    sorted(told.collect())
}

/// The measures of a task that has lists with one number for each of so many episodes: `sum_rewards` is `sum_reward` of
/// each.
pub fn lists_of(metrics: &Value, episodes: usize) -> Vec<(String, Vec<f64>)> {
    let members = metrics.as_object().into_iter().flatten();
    let told = members.filter_map(|(name, list)| {
        let list = list.as_array().filter(|list| list.len() == episodes && episodes > 0)?;
        let numbers: Option<Vec<f64>> = list.iter().map(Value::as_f64).collect();
        let name = name.strip_suffix('s').unwrap_or(name);
        is_measure(name).then_some((name.to_owned(), numbers?))
    });
    sorted(told.collect())
}

/// Reports whether one of the measures is a reward.
pub fn tells_reward(measures: &[(String, f64)]) -> bool {
    measures.iter().any(|(name, _)| is_reward(name))
}

fn is_measure(name: &str) -> bool {
    let known = [&NUMBERS[..], &SUCCESSES, &SEEDS, &TASKS];
    let is_time =
        TIMES.iter().any(|time| name.contains(time)) || name.ends_with("_s") || name.ends_with("_ms");
    !is_time && name.len() <= LONGEST_NAME && !known.iter().any(|names| names.contains(&name))
}

fn sorted<T>(mut told: Vec<(String, T)>) -> Vec<(String, T)> {
    told.sort_by_key(|(name, _)| !is_reward(name));
    told
}

fn is_reward(name: &str) -> bool {
    FIRST.iter().any(|first| name.contains(first))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_tells_its_measures_rewards_first() {
        let row = json!({
            "episode": 3, "seed": 7, "task_id": 1, "success": true, "steps": 120, "sum_reward": "1.5", "wall_time": 3.2,
            "video": "a.mp4", "done": true, "metrics": {"success": 1.0, "distance": 0.25},
        });
        let told = [("sum_reward", 1.5), ("steps", 120.0), ("distance", 0.25)];
        assert_eq!(
            measures_of(&row).iter().map(|(name, value)| (name.as_str(), *value)).collect::<Vec<_>>(),
            told
        );
    }

    #[test]
    fn lists_with_one_number_an_episode_are_measures() {
        let metrics = json!({
            "successes": [true, false], "sum_rewards": [1.5, 0.5], "max_rewards": [1.0], "video_paths": ["a", "b"],
        });
        assert_eq!(lists_of(&metrics, 2), [("sum_reward".to_owned(), vec![1.5, 0.5])]);
        assert_eq!(lists_of(&json!({"x": []}), 0), []);
    }
}
