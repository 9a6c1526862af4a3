//! How single episodes ended, by files of known shapes: lists with one element an episode, and rows of which each is
//! one.

use serde_json::Value;

use super::collected::number;
use super::episode_measures::{lists_of, measures_of, tells_reward};
use super::episode_names::{NUMBERS, SEEDS, SUCCESSES, TASKS};
use super::tally::outcome;
use super::{lerobot, vla_eval};
use crate::model::results::episode_list::{Episode, EpisodeList, MOST_EPISODES};
use crate::model::results::episode_values::Measures;

/// Lists of episodes by the names that programs give them.
const LISTS: [&str; 5] = ["per_episode", "episodes", "results", "trials", "rollouts"];

/// An episode as a file lists it, before it joins a list: where it has no number, its place becomes its number.
#[derive(Debug)]
struct FileEpisode {
    task: String,
    number: Option<i64>,
    seed: Option<i64>,
    success: Option<bool>,
    measures: Measures,
}

/// Returns the episodes of a document; none where it does not list them one by one.
pub fn of_document(document: &Value) -> Option<EpisodeList> {
    list(told(document)).or_else(|| {
        let members = document.as_object()?.values();
        let mut wrapped = members.filter(|member| lerobot::looks_like(member)).map(told);
        let only = wrapped.next()?;
        // Of several evaluations none is the one.
        wrapped.next().is_none().then(|| list(only)).flatten()
    })
}

/// The episodes of rows, each of which must be one, or a task with lists of them.
#[derive(Debug, Default)]
pub struct EpisodeRows {
    told: Vec<FileEpisode>,
    /// A row was something else, or there are too many.
    is_foreign: bool,
}

impl EpisodeRows {
    /// Takes one row, whether of an episode or of a task.
    pub fn take(&mut self, row: &Value) {
        if self.is_foreign {
            return;
        }
        let before = self.told.len();
        self.told.extend(of_row(row));
        if self.told.len() == before {
            self.told.extend(of_task(row));
        }
        self.is_foreign = self.told.len() == before || self.told.len() > MOST_EPISODES;
        if self.is_foreign {
            self.told = Vec::new();
        }
    }

    /// All of them; none where a row was something else.
    pub fn list(self) -> Option<EpisodeList> {
        list(self.told)
    }
}

fn told(document: &Value) -> Vec<FileEpisode> {
    let list = |of: &Value, name: &str| of.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    if lerobot::looks_like(document) {
        let mut told: Vec<FileEpisode> = list(document, "per_task").iter().flat_map(of_task).collect();
        told.extend(list(document, "per_episode").iter().filter_map(of_row));
        return told;
    }
    if vla_eval::looks_like(document) {
        return list(document, "tasks").iter().flat_map(of_vla_task).collect();
    }
    let lists = LISTS.iter().map(|name| list(document, name)).find(|list| !list.is_empty());
    let rows = document.as_array().cloned().or(lists).unwrap_or_default();
    let told: Vec<FileEpisode> = rows.iter().filter_map(of_row).collect();
    // What is something else for some of them is something else.
    if told.len() == rows.len() { told } else { Vec::new() }
}

/// A task of LeRobot: lists with one element an episode, or one map an episode.
fn of_task(entry: &Value) -> Vec<FileEpisode> {
    let task = names(entry, &["task_group", "task_id"]);
    let metrics = entry.get("metrics").unwrap_or(entry);
    let list = |name: &str| metrics.get(name).and_then(Value::as_array).into_iter().flatten();
    let lists = lists_of(metrics, list("successes").count());
    let plain = list("successes").enumerate().map(|(place, success)| FileEpisode {
        task: task.clone(),
        number: None,
        seed: None,
        success: outcome(success),
        measures: lists.iter().map(|(name, list)| (name.clone(), list[place])).collect(),
    });
    let mapped = list("per_episode").filter_map(of_row);
    plain.chain(mapped.map(|told| FileEpisode { task: task.clone(), ..told })).collect()
}

fn of_vla_task(entry: &Value) -> Vec<FileEpisode> {
    let task = names(entry, &["task"]);
    let episodes = entry.get("episodes").and_then(Value::as_array).into_iter().flatten();
    let of = |episode: &Value| FileEpisode {
        task: task.clone(),
        number: first(episode, &NUMBERS),
        seed: first(episode, &SEEDS),
        success: episode.get("metrics").and_then(|metrics| outcome(metrics.get("success")?)),
        measures: measures_of(episode),
    };
    episodes.map(of).collect()
}

/// Reads a map that says whether one episode succeeded, or how much reward it had.
fn of_row(row: &Value) -> Option<FileEpisode> {
    let metrics = row.get("metrics");
    let success = SUCCESSES.iter().find_map(|name| row.get(name).or_else(|| metrics?.get(name)));
    let number = first(row, &NUMBERS);
    let seed = first(row, &SEEDS);
    let measures = measures_of(row);
    let is_episode = match success {
        // A success that belongs to nothing may be that of a step, or of a sum.
        Some(_) => number.is_some() || seed.is_some(),
        // A reward may also be that of an epoch of a training, which has no seed of its own.
        None => number.is_some() && seed.is_some() && tells_reward(&measures),
    };
    is_episode.then(|| FileEpisode {
        task: names(row, &TASKS),
        number,
        seed,
        success: success.and_then(|success| outcome(success).filter(|_| !is_share(success))),
        measures,
    })
}

/// Reports whether the value is a share of several episodes, such as `0.4`.
fn is_share(success: &Value) -> bool {
    number(success).flatten().is_some_and(|value| value != 0.0 && value != 1.0)
}

/// The whole number under the first of these names.
fn first(row: &Value, names: &[&str]) -> Option<i64> {
    names.iter().find_map(|name| whole(row.get(name)?))
}

fn whole(value: &Value) -> Option<i64> {
    number(value)?.filter(|number| number.fract() == 0.0 && number.abs() < 9e15).map(|number| number as i64)
}

/// Joins the values under these names into one text.
fn names(row: &Value, names: &[&str]) -> String {
    let words = names.iter().filter_map(|name| match row.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    });
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Builds the list; episodes without a number are numbered within each task.
fn list(told: Vec<FileEpisode>) -> Option<EpisodeList> {
    let mut places = std::collections::BTreeMap::<&str, i64>::new();
    let numbers: Vec<i64> = told
        .iter()
        .map(|episode| {
            let place = places.entry(&episode.task).or_default();
            *place += 1;
            episode.number.unwrap_or(*place - 1)
        })
        .collect();
    EpisodeList::of_measured(told.iter().zip(numbers).map(|(told, number)| {
        let FileEpisode { task, seed, success, measures, .. } = told;
        (Episode { task, number, seed: *seed, success: *success }, measures.clone())
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    type Row = (String, i64, Option<i64>, Option<bool>);

    fn rows(list: Option<EpisodeList>) -> Vec<Row> {
        let rows = |list: &EpisodeList| {
            list.episodes().map(|e| (e.task.to_owned(), e.number, e.seed, e.success)).collect()
        };
        list.as_ref().map(rows).unwrap_or_default()
    }

    fn row(task: &str, number: i64, seed: Option<i64>, success: bool) -> Row {
        (task.to_owned(), number, seed, Some(success))
    }

    #[test]
    fn lists_of_lerobot_are_told_by_task_and_place() {
        let task = |id: u32, successes: &[bool]| json!({"task_group": "pusht", "task_id": id, "metrics": {"successes": successes}});
        let info =
            json!({"per_task": [task(0, &[true, false]), task(1, &[true])], "overall": {"pc_success": 66.7}});
        let expected =
            [row("pusht 0", 0, None, true), row("pusht 0", 1, None, false), row("pusht 1", 0, None, true)];
        assert_eq!(rows(of_document(&info)), expected);
        assert_eq!(rows(of_document(&json!({"step_1000": info}))), expected, "wrapped by a training");
        let older = json!({"per_episode": [
            {"episode_ix": 0, "seed": 1000, "success": true}, {"episode_ix": 1, "seed": 1001, "success": false},
        ]});
        assert_eq!(rows(of_document(&older)), [row("", 0, Some(1000), true), row("", 1, Some(1001), false)]);
    }

    fn of_rows(rows: &[Value]) -> Option<EpisodeList> {
        let mut taken = EpisodeRows::default();
        rows.iter().for_each(|row| taken.take(row));
        taken.list()
    }

    #[test]
    fn rows_that_are_episodes_are_told_and_others_are_not() {
        let lines = [
            json!({"episode": 1, "seed": 7, "success": true, "reward": 1.5}),
            json!({"episode": "2", "seed": "7", "success": "False"}),
        ];
        assert_eq!(rows(of_rows(&lines)), [row("", 1, Some(7), true), row("", 2, Some(7), false)]);
        let rewarded = [json!({"episode": 4, "seed": 9, "return": 2.5})];
        assert_eq!(rows(of_rows(&rewarded)), [(String::new(), 4, Some(9), None)]);
        let measured = of_rows(&lines).unwrap();
        let rewards: Vec<_> = measured.measured_episodes().map(|(_, measures)| measures).collect();
        assert_eq!(rewards, [vec![("reward", 1.5)], vec![]]);
        for other in [json!({"step": 3, "success": true}), json!({"episode": 3, "reward": 1.0})] {
            let mixed = [lines[0].clone(), other];
            assert_eq!(of_rows(&mixed), None, "{mixed:?}");
        }
        let share = [json!({"episode": 1, "success": 0.4})];
        assert_eq!(rows(of_rows(&share)), [(String::new(), 1, None, None)], "of several episodes");
        let by_task = |id: u32| json!({"task_group": "g", "task_id": id, "status": "ok", "metrics": {"successes": [true]}});
        assert_eq!(
            rows(of_rows(&[by_task(0), by_task(1)])),
            [row("g 0", 0, None, true), row("g 1", 0, None, true)]
        );
        let tasks = [
            json!({"task": "lift", "episode": 0, "success": 1}),
            json!({"task": "push", "episode": 0, "success": 0}),
        ];
        assert_eq!(rows(of_rows(&tasks)), [row("lift", 0, None, true), row("push", 0, None, false)]);
    }

    #[test]
    fn other_evaluators_are_told_too() {
        let episode = |id: u32, success: f64| json!({"episode_id": id, "metrics": {"success": success}});
        let document = json!({"benchmark": "libero", "tasks": [{"task": "a", "episodes": [episode(0, 1.0), episode(1, 0.0)]}]});
        assert_eq!(rows(of_document(&document)), [row("a", 0, None, true), row("a", 1, None, false)]);
        let own = json!({"rate": 0.5, "episodes": [{"episode": 3, "success": true}]});
        assert_eq!(rows(of_document(&own)), [row("", 3, None, true)]);
        assert_eq!(of_document(&json!({"episodes": 25, "successes": 20})), None);
    }
}
