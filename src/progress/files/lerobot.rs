//! `eval_info.json` of LeRobot, in all its forms: by task, by episode, and wrapped in another map.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::tally::{FileCompletion, FileTally, RewardMean, count, figure, outcome};

/// Factor that turns LeRobot's percentages into shares.
const PERCENT: f64 = 0.01;

/// Names of which at least one is at the top level of such a file.
const MARKS: [&str; 4] = ["per_task", "per_group", "per_episode", "aggregated"];

/// The names that the number of an episode goes by.
const NUMBERS: [&str; 3] = ["episode_ix", "episode_index", "episode"];

/// So many numbers are shown.
const SHOWN: usize = 5;

/// The document looks like such a file.
pub fn looks_like(document: &Value) -> bool {
    let overall = document.get("overall").is_some_and(|overall| overall.get("pc_success").is_some());
    overall || MARKS.iter().any(|name| document.get(name).is_some_and(is_of_lerobot))
}

/// Other programs have these names too, with something else behind them.
fn is_of_lerobot(value: &Value) -> bool {
    let is_entry =
        |entry: &Value| ["metrics", "success", "pc_success"].iter().any(|name| entry.get(name).is_some());
    match value {
        Value::Array(entries) => !entries.is_empty() && entries.iter().all(is_entry),
        Value::Object(members) if members.is_empty() => false,
        Value::Object(members) => is_entry(value) || members.values().all(is_entry),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Counts what the file's lists say, or where it has none, what its summary says. Remarks report where both differ.
pub fn read(document: &Value) -> (FileTally, Vec<String>) {
    let empty = Value::Null;
    let summary = document.get("overall").or_else(|| document.get("aggregated")).unwrap_or(&empty);
    let mut tally = FileTally::default();
    let mut again = BTreeSet::new();
    for task in document.get("per_task").and_then(Value::as_array).into_iter().flatten() {
        let metrics = task.get("metrics").unwrap_or(&empty);
        add_lists(&mut tally, metrics);
        again.extend(add_episodes(&mut tally, metrics));
    }
    again.extend(add_episodes(&mut tally, document));
    let mut remarks = Vec::new();
    if !again.is_empty() {
        let shown: Vec<String> = again.iter().take(SHOWN).map(i64::to_string).collect();
        let more = if again.len() > SHOWN { ", …" } else { "" };
        let (count, shown) = (again.len(), shown.join(", "));
        remarks
            .push(format!("{count} of its episodes are there more than once and count once: {shown}{more}"));
    }
    if tally.episodes.is_none() {
        tally = of_summaries(document, summary);
    } else {
        remarks.extend(difference(&tally, summary));
    }
    tally.seconds = figure(summary, "eval_s");
    tally.ending = FileCompletion::Closed;
    (tally, remarks)
}

/// The lists of one task: one element an episode.
pub fn add_lists(tally: &mut FileTally, metrics: &Value) {
    let list = |name: &str| metrics.get(name).and_then(Value::as_array).into_iter().flatten();
    list("successes").for_each(|success| tally.episode(outcome(success)));
    add_all(&mut tally.sum_rewards, list("sum_rewards"));
    add_all(&mut tally.max_rewards, list("max_rewards"));
}

/// The older form: one map an episode. Gives the numbers of those that are there more than once, of which the last
/// counts: a program that continued after an interruption wrote them again.
fn add_episodes(tally: &mut FileTally, of: &Value) -> BTreeSet<i64> {
    let episodes: Vec<&Value> =
        of.get("per_episode").and_then(Value::as_array).into_iter().flatten().collect();
    let number = |episode: &Value| NUMBERS.iter().find_map(|name| episode.get(name)?.as_i64());
    // Files that another program put together count from 0 several times, with other seeds.
    let name = |episode: &Value| Some((number(episode)?, episode.get("seed").and_then(Value::as_i64)));
    let mut last = BTreeMap::new();
    let mut again = BTreeSet::new();
    for (place, name) in
        episodes.iter().enumerate().filter_map(|(place, episode)| Some((place, name(episode)?)))
    {
        if last.insert(name, place).is_some() {
            again.insert(name.0);
        }
    }
    let is_last = |place: usize| name(episodes[place]).is_none_or(|name| last.get(&name) == Some(&place));
    for episode in (0..episodes.len()).filter(|place| is_last(*place)).map(|place| episodes[place]) {
        tally.episode(episode.get("success").and_then(outcome));
        add_all(&mut tally.sum_rewards, episode.get("sum_reward").into_iter());
        add_all(&mut tally.max_rewards, episode.get("max_reward").into_iter());
    }
    again
}

fn add_all<'a>(mean: &mut RewardMean, values: impl Iterator<Item = &'a Value>) {
    values.filter_map(|value| super::collected::number(value)?).for_each(|value| mean.add(value));
}

/// A file without lists has its own sums: of everything, or of each group.
fn of_summaries(document: &Value, summary: &Value) -> FileTally {
    if figure(summary, "pc_success").is_some() {
        return of_summary(summary);
    }
    let groups = document.get("per_group").and_then(Value::as_object).into_iter().flatten();
    groups.map(|(_, group)| of_summary(group)).reduce(FileTally::and).unwrap_or_default()
}

fn of_summary(summary: &Value) -> FileTally {
    let episodes = count(summary, "n_episodes");
    let rate = figure(summary, "pc_success").map(|percent| percent * PERCENT);
    let mean = |name: &str| {
        let value = figure(summary, name);
        // One value counts once where the file does not say for how many it is.
        value.map_or_else(RewardMean::default, |value| RewardMean::of(value, episodes.unwrap_or(1)))
    };
    // Successes are whole; a percentage has rounded them. Without episodes there is no percentage.
    let successes = rate.zip(episodes).map(|(rate, episodes)| (rate * episodes as f64).round());
    let successes = successes.filter(|successes| !successes.is_nan());
    FileTally {
        episodes,
        successes,
        rate: rate.filter(|rate| episodes.is_none() || rate.is_nan()),
        sum_rewards: mean("avg_sum_reward"),
        max_rewards: mean("avg_max_reward"),
        ..FileTally::default()
    }
}

/// Files that were merged by other programs may have summaries that do not belong to their lists.
fn difference(tally: &FileTally, summary: &Value) -> Option<String> {
    let (lists, own) = (tally.success_rate()?, figure(summary, "pc_success")? * PERCENT);
    let episodes = count(summary, "n_episodes").is_none_or(|own| Some(own) == tally.episodes);
    if episodes && (lists - own).abs() < 1e-6 {
        return None;
    }
    let own = match count(summary, "n_episodes") {
        Some(episodes) => format!("{own:.4} of {episodes} episodes"),
        None => format!("{own:.4}"),
    };
    let counted = tally.episodes.unwrap_or_default();
    Some(format!("its summary says a success rate of {own}, its lists {lists:.4} of {counted} episodes"))
}
