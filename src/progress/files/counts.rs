//! Short summaries that many programs write: how many episodes there were and how many succeeded.

use serde_json::Value;

use super::tally::{FileCompletion, FileTally, RewardMean, count, figure};

/// Names that programs use for the number of episodes.
const EPISODES: [&str; 4] = ["episodes", "n_episodes", "num_episodes", "total_episodes"];

/// The document, or its part `overall`, counts episodes and successes.
pub fn looks_like(document: &Value) -> bool {
    summary(document).is_some()
}

/// Reads the counts of the summary, with remarks on what is odd.
pub fn read(document: &Value) -> (FileTally, Vec<String>) {
    let Some(summary) = summary(document) else { return (FileTally::default(), Vec::new()) };
    let episodes = episodes(summary);
    let mean = |names: [&str; 2]| {
        let value = names.iter().find_map(|name| figure(summary, name));
        value.map_or_else(RewardMean::default, |value| RewardMean::of(value, episodes.unwrap_or(1)))
    };
    let complete = document.get("complete").and_then(Value::as_bool) == Some(true);
    let tally = FileTally {
        episodes,
        successes: figure(summary, "successes"),
        sum_rewards: mean(["average_sum_reward", "avg_sum_reward"]),
        max_rewards: mean(["average_max_reward", "avg_max_reward"]),
        ending: if complete { FileCompletion::Closed } else { FileCompletion::Open },
        ..FileTally::default()
    };
    let rates = [("success_rate", 1.0), ("success_rate_percent", 0.01)];
    let own = rates.iter().find_map(|(name, unit)| Some(figure(summary, name)? * unit));
    let remark = own.zip(tally.success_rate()).filter(|(own, counted)| (own - counted).abs() > 0.006);
    let remark = remark
        .map(|(own, counted)| format!("it says a success rate of {own:.4}, its counts make {counted:.4}"));
    (tally, remark.into_iter().collect())
}

fn summary(document: &Value) -> Option<&Value> {
    let counts = |part: &&Value| episodes(part).is_some() && count(part, "successes").is_some();
    [Some(document), document.get("overall")].into_iter().flatten().find(counts)
}

fn episodes(part: &Value) -> Option<u64> {
    EPISODES.iter().find_map(|name| count(part, name))
}
