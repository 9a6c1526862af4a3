//! The averages of LeRobot, computed again from the lists of episodes and rounded as the pieces' own program does.

use super::part::EvalDocument;
use super::tasks::Task;
use crate::results::merge::json::{Json, strip_quotes};
use crate::results::merge::mean::Arithmetic;

/// The lists that a summary is made of.
#[derive(Debug, Default)]
pub struct SummaryLists {
    lists: Vec<(String, Vec<Json>)>,
    /// Number of episodes in the lists.
    count: usize,
}

impl SummaryLists {
    /// Collects the lists of the tasks of a group, or of all tasks.
    pub fn of_tasks(tasks: &[Task], group: Option<&Json>) -> Self {
        let mine = tasks.iter().filter(|task| group.is_none_or(|group| task.group == *group));
        Self::of_metrics(mine.map(|task| &task.metrics))
    }

    fn of_metrics<'a>(metrics: impl Iterator<Item = &'a Json>) -> Self {
        let mut source = Self::default();
        for metrics in metrics {
            for (key, value) in metrics.members().unwrap_or_default() {
                match (strip_quotes(key), value.items()) {
                    ("per_episode", Some(episodes)) => source.add_episodes(episodes),
                    (name, Some(items)) => source.add_items(name, items.iter().cloned()),
                    (_, None) => {}
                }
            }
        }
        source.with_count()
    }

    /// Collects the lists of these episodes.
    pub fn of_episodes(episodes: &[Json]) -> Self {
        let mut source = Self::default();
        source.add_episodes(episodes);
        source.with_count()
    }

    fn add_episodes(&mut self, episodes: &[Json]) {
        for (key, value) in episodes.iter().flat_map(|episode| episode.members().unwrap_or_default()) {
            self.add_items(strip_quotes(key), std::iter::once(value.clone()));
        }
    }

    fn add_items(&mut self, name: &str, items: impl Iterator<Item = Json>) {
        match self.lists.iter_mut().find(|(known, _)| known == name) {
            Some((_, list)) => list.extend(items),
            None => self.lists.push((name.to_owned(), items.collect())),
        }
    }

    fn with_count(mut self) -> Self {
        let counts = ["successes", "sum_rewards", "success", "sum_reward"];
        self.count = counts.into_iter().find_map(|name| self.list(name)).map_or(0, <[Json]>::len);
        self
    }

    fn list(&self, name: &str) -> Option<&[Json]> {
        self.lists.iter().find(|(known, _)| known == name).map(|(_, list)| list.as_slice())
    }

    /// The numbers that `avg_sum_reward` or `pc_success` is the mean of.
    fn averaged_numbers(&self, of: &str) -> Option<Vec<f64>> {
        let list = ["", "s", "es"].iter().find_map(|end| self.list(&format!("{of}{end}")))?;
        list.iter().map(Json::as_number).collect()
    }

    /// The average of that name.
    fn average(&self, name: &str, arithmetic: Arithmetic) -> Option<f64> {
        match name.split_once('_')? {
            ("avg" | "mean", of) => Some(arithmetic.mean(&self.averaged_numbers(of)?)),
            ("pc", of) => Some(arithmetic.percent(&self.averaged_numbers(of)?)),
            (_, _) => None,
        }
    }
}

/// The arithmetic that gives the averages of the pieces from their own lists.
pub fn detect_arithmetic(parts: &[EvalDocument<'_>]) -> Arithmetic {
    let parts: Vec<Own<'_>> = parts.iter().map(Own::from_part).collect();
    let agreeing =
        |arithmetic: Arithmetic| -> usize { parts.iter().map(|own| own.count_agreeing(arithmetic)).sum() };
    let mut best = (Arithmetic::ALL[0], agreeing(Arithmetic::ALL[0]));
    for arithmetic in Arithmetic::ALL {
        let count = agreeing(arithmetic);
        if count > best.1 {
            best = (arithmetic, count);
        }
    }
    best.0
}

/// The averages that a piece has itself, and what they are made of.
struct Own<'a> {
    source: SummaryLists,
    averages: Vec<(&'a str, f64)>,
}

impl<'a> Own<'a> {
    fn from_part(part: &'a EvalDocument<'_>) -> Self {
        let tasks = part.body.get("per_task").and_then(Json::items).unwrap_or_default();
        let (summary, source) = match part.body.get("per_episode").and_then(Json::items) {
            Some(episodes) if tasks.is_empty() => {
                (part.body.get("aggregated"), SummaryLists::of_episodes(episodes))
            }
            Some(_) | None => {
                let metrics = tasks.iter().filter_map(|task| task.get("metrics"));
                (part.body.get("overall"), SummaryLists::of_metrics(metrics))
            }
        };
        let members = summary.and_then(Json::members).unwrap_or_default().iter();
        let averages =
            members.filter_map(|(key, value)| Some((strip_quotes(key), value.as_number()?))).collect();
        Self { source, averages }
    }

    /// How many of its averages this arithmetic gives to the last digit.
    fn count_agreeing(&self, arithmetic: Arithmetic) -> usize {
        let agrees = |(name, own): &&(&str, f64)| self.source.average(name, arithmetic) == Some(*own);
        self.averages.iter().filter(agrees).count()
    }
}

/// `per_group`: the groups in the order in which the pieces have them.
pub fn merge_groups(
    parts: &[EvalDocument<'_>],
    arithmetic: Arithmetic,
    source: impl Fn(&Json) -> SummaryLists,
) -> Json {
    let of_parts: Vec<&[(String, Json)]> =
        parts.iter().filter_map(|part| part.body.get("per_group")?.members()).collect();
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in of_parts.iter().copied().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let group = |name: &String| {
        let templates: Vec<&Json> = of_parts
            .iter()
            .copied()
            .flatten()
            .filter(|(key, _)| key == name)
            .map(|(_, value)| value)
            .collect();
        (name.clone(), merge_summaries(&templates, &source(&Json::Text(name.clone())), arithmetic))
    };
    Json::Map(names.into_iter().map(group).collect())
}

/// Makes one summary in place of those of the pieces: its members in their order, each made of the lists.
pub fn merge_summaries(templates: &[&Json], source: &SummaryLists, arithmetic: Arithmetic) -> Json {
    let Some(first) = templates.first() else { return Json::Map(Vec::new()) };
    let seconds = sum_member(templates, "eval_s");
    let member = |(key, value): &(String, Json)| {
        let name = strip_quotes(key);
        let same = || templates.iter().all(|other| other.get(name) == Some(value)).then(|| value.clone());
        let merged = match name {
            "n_episodes" => Some(Json::from_integer(source.count as u64)),
            "eval_s" => seconds.map(Json::from_float),
            "eval_ep_s" => seconds.map(|seconds| Json::from_float(seconds / source.count.max(1) as f64)),
            name if value.items().is_some() => source.list(name).map(|list| Json::List(list.to_vec())),
            name => source.average(name, arithmetic).map(Json::from_float),
        };
        Some((key.clone(), merged.or_else(same)?))
    };
    Json::Map(first.members().unwrap_or_default().iter().filter_map(member).collect())
}

/// Adds up a number of all summaries; `None` if one lacks it.
fn sum_member(templates: &[&Json], name: &str) -> Option<f64> {
    templates.iter().map(|template| template.get(name)?.as_number()).sum()
}
