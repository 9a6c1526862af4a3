//! Any JSON: maps are merged member by member, lists by what they hold, and numbers follow the rules of the sweep.

use super::document_counts::PathValues;
use super::document_lists::{PathLists, merge_keyed_maps};
use super::json::{Json, Style, strip_quotes};
use super::key_names::rule_key;
use super::made::Made;
use super::piece::{Piece, PieceFault, PieceRefusal, PieceWork, collect_results, text_of};
use crate::model::key_path::{KeyPath, KeyPathStep};
use crate::model::results::results_spec::{MergeRule, MergeWay};

/// The names of tasks in lists of them.
const TASKS: [&str; 7] = ["task_id", "task", "task_name", "suite", "env", "env_id", "name"];

/// A piece as a document, with what it weighs.
struct PieceJson<'a> {
    piece: &'a Piece,
    json: Json,
}

/// A place in the documents: the path to it, and the value of each piece there.
struct JsonPlace<'a> {
    path: Vec<String>,
    values: Vec<&'a Json>,
}

/// Merges pieces that are in the order of the serial run.
pub fn merge_by_rule(pieces: &[Piece], rules: &[MergeRule]) -> Result<Made, Vec<PieceRefusal>> {
    let parts = collect_results(pieces.iter().map(read_part))?;
    let Some(first) = parts.first() else { return Ok(Made::default()) };
    let merging = Merging { parts: &parts, rules };
    let place = JsonPlace { path: Vec::new(), values: parts.iter().map(|part| &part.json).collect() };
    let merged = merging.merge_value(&place)?;
    let text = Style::from_text(&text_of(&first.piece.bytes)).write(&merged);
    Ok(Made { text, notes: Vec::new() })
}

fn read_part(piece: &Piece) -> Result<PieceJson<'_>, PieceRefusal> {
    let json = Json::parse(&text_of(&piece.bytes))
        .map_err(|error| PieceRefusal::new(&piece.shard, PieceFault::Unreadable, format!("it {error}")))?;
    Ok(PieceJson { piece, json })
}

struct Merging<'a> {
    parts: &'a [PieceJson<'a>],
    rules: &'a [MergeRule],
}

impl Merging<'_> {
    fn merge_value(&self, place: &JsonPlace<'_>) -> Result<Json, Vec<PieceRefusal>> {
        if let Some(rule) = self.rules.iter().find(|rule| leads_to(&rule.key, &place.path)) {
            return self.apply_rule(&rule.way, place);
        }
        if place.values.iter().all(|value| value.members().is_some()) {
            let values = self.with_pieces(place);
            return merge_keyed_maps(&place.path, &values).unwrap_or_else(|| self.merge_maps(place));
        }
        if let Some(lists) = self.piece_lists(place) {
            return match self.count_common_tasks(place, &lists) {
                Some(tasks) => self.merge_each(place, tasks),
                None => lists.merge(),
            };
        }
        let values = PathValues { path: &place.path, values: self.with_pieces(place) };
        match values.merge()? {
            Some(merged) => Ok(merged),
            None => self.require_same(place).map_err(|refusal| vec![refusal]),
        }
    }

    fn with_pieces<'a>(&'a self, place: &JsonPlace<'a>) -> Vec<(&'a Piece, &'a Json)> {
        self.parts.iter().zip(&place.values).map(|(part, value)| (part.piece, *value)).collect()
    }

    /// The lists of all pieces; `None` if one has another value there.
    fn piece_lists<'a>(&'a self, place: &'a JsonPlace<'a>) -> Option<PathLists<'a>> {
        let list = |(part, value): (&'a PieceJson<'_>, &&'a Json)| Some((part.piece, value.items()?));
        let lists = self.parts.iter().zip(&place.values).map(list).collect::<Option<_>>()?;
        Some(PathLists { path: &place.path, lists })
    }

    /// How many tasks all pieces list in the same order; `None` if the elements are something else.
    fn count_common_tasks(&self, place: &JsonPlace<'_>, lists: &PathLists<'_>) -> Option<usize> {
        let first = place.values.first()?.items()?;
        let key = TASKS.into_iter().find(|key| {
            let names =
                |list: &[Json]| list.iter().map(|task| task.get(key).cloned()).collect::<Option<Vec<Json>>>();
            names(first).is_some_and(|wanted| {
                let is_once = |name: &Json| wanted.iter().filter(|other| *other == name).count() == 1;
                wanted.iter().all(is_once)
                    && lists.lists.iter().all(|(_, list)| names(list).as_ref() == Some(&wanted))
            })
        });
        let holds_more = |task: &Json| {
            task.members()
                .unwrap_or_default()
                .iter()
                .any(|(_, member)| !matches!(member, Json::Word(_) | Json::Text(_)))
        };
        let is_per_episode = lists
            .lists
            .iter()
            .all(|(piece, list)| piece.work.size().is_none_or(|(size, _)| size == list.len()));
        (key.is_some() && !first.is_empty() && (!is_per_episode || first.iter().all(holds_more)))
            .then_some(first.len())
    }

    /// The elements of lists one by one.
    fn merge_each(&self, place: &JsonPlace<'_>, count: usize) -> Result<Json, Vec<PieceRefusal>> {
        let path: Vec<String> = place.path.iter().cloned().chain(["[]".to_owned()]).collect();
        let element = |at: usize| {
            let values = place.values.iter().filter_map(|value| value.items()?.get(at)).collect();
            self.merge_value(&JsonPlace { path: path.clone(), values })
        };
        Ok(Json::List(collect_values((0..count).map(element))?))
    }

    /// The members of the first, then those that only others have.
    fn merge_maps(&self, place: &JsonPlace<'_>) -> Result<Json, Vec<PieceRefusal>> {
        let mut keys: Vec<&String> = Vec::new();
        for (key, _) in place.values.iter().flat_map(|value| value.members().unwrap_or_default()) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let members =
            keys.into_iter().map(|key| Ok((key.clone(), self.merge_member(place, strip_quotes(key))?)));
        Ok(Json::Map(collect_values(members)?))
    }

    fn merge_member(&self, place: &JsonPlace<'_>, name: &str) -> Result<Json, Vec<PieceRefusal>> {
        let value = |(value, part): (&&Json, &PieceJson<'_>)| {
            value.get(name).is_none().then(|| {
                let why = format!("it has no `{}`, which other pieces have", path_of(&place.path, name));
                PieceRefusal::new(&part.piece.shard, PieceFault::Different, why)
            })
        };
        let lacking: Vec<PieceRefusal> = place.values.iter().zip(self.parts).filter_map(value).collect();
        if !lacking.is_empty() {
            return Err(lacking);
        }
        let values = place.values.iter().filter_map(|value| value.get(name)).collect();
        let path = place.path.iter().cloned().chain([name.to_owned()]).collect();
        self.merge_value(&JsonPlace { path, values })
    }

    fn require_same(&self, place: &JsonPlace<'_>) -> Result<Json, PieceRefusal> {
        let first = place.values[0];
        let other = self.parts.iter().zip(&place.values).find(|(_, value)| **value != first);
        let Some((part, value)) = other else { return Ok(first.clone()) };
        let path = rule_key(&place.path);
        let why = format!(
            "`{path}` is {} there and {} in {}: give `{path}` a rule under `[results.rules]`, such as `sum` or `mean`",
            value.display_text(),
            first.display_text(),
            self.parts[0].piece.shard
        );
        Err(PieceRefusal::new(&part.piece.shard, PieceFault::Different, why))
    }

    fn apply_rule(&self, way: &MergeWay, place: &JsonPlace<'_>) -> Result<Json, Vec<PieceRefusal>> {
        let one = |merged: Result<Json, PieceRefusal>| merged.map_err(|refusal| vec![refusal]);
        match way {
            MergeWay::Same => one(self.require_same(place)),
            MergeWay::First => Ok(place.values[0].clone()),
            MergeWay::List => Ok(Json::List(place.values.iter().map(|value| (*value).clone()).collect())),
            MergeWay::Episodes => self.require_lists(place)?.by_episode(),
            MergeWay::Join => Ok(self.require_lists(place)?.join()),
            MergeWay::Min | MergeWay::Max => one(self.pick_extreme(place, *way == MergeWay::Max)),
            MergeWay::Sum => self.check_values(place).and_then(|()| one(self.sum_values(place))),
            MergeWay::Mean { weight } => {
                self.check_values(place).and_then(|()| one(self.weighted_mean(place, weight.as_ref())))
            }
        }
    }

    /// A sum or mean hides what it is made of.
    fn check_values(&self, place: &JsonPlace<'_>) -> Result<(), Vec<PieceRefusal>> {
        let wrong = PathValues { path: &place.path, values: self.with_pieces(place) }.check();
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }

    fn require_lists<'a>(&'a self, place: &'a JsonPlace<'a>) -> Result<PathLists<'a>, Vec<PieceRefusal>> {
        self.piece_lists(place).ok_or_else(|| {
            let others = self.with_pieces(place).into_iter().filter(|(_, value)| value.items().is_none());
            let why =
                |value: &Json| format!("`{}` is {} and no list", rule_key(&place.path), value.display_text());
            others
                .map(|(piece, value)| PieceRefusal::new(&piece.shard, PieceFault::Different, why(value)))
                .collect()
        })
    }

    fn require_numbers(&self, place: &JsonPlace<'_>) -> Result<Vec<f64>, PieceRefusal> {
        let number = |(part, value): (&PieceJson<'_>, &&Json)| {
            value.as_number().ok_or_else(|| {
                let why = format!("`{}` is {} and no number", rule_key(&place.path), value.display_text());
                PieceRefusal::new(&part.piece.shard, PieceFault::Different, why)
            })
        };
        self.parts.iter().zip(&place.values).map(number).collect()
    }

    fn sum_values(&self, place: &JsonPlace<'_>) -> Result<Json, PieceRefusal> {
        let whole: Option<Vec<i64>> = place.values.iter().map(|value| value.as_integer()).collect();
        if let Some(whole) = whole {
            return Ok(Json::from_integer(whole.into_iter().map(i128::from).sum::<i128>()));
        }
        let numbers = self.require_numbers(place)?;
        Ok(Json::from_float(numbers.into_iter().fold(0.0, |sum, number| sum + number)))
    }

    fn pick_extreme(&self, place: &JsonPlace<'_>, largest: bool) -> Result<Json, PieceRefusal> {
        let numbers = self.require_numbers(place)?;
        let mut best = 0;
        for (position, number) in numbers.iter().enumerate() {
            let better = if largest { *number > numbers[best] } else { *number < numbers[best] };
            best = if better || numbers[best].is_nan() { position } else { best };
        }
        Ok(place.values[best].clone())
    }

    fn weighted_mean(&self, place: &JsonPlace<'_>, weight: Option<&KeyPath>) -> Result<Json, PieceRefusal> {
        let numbers = self.require_numbers(place)?;
        let (mut sum, mut weights) = (0.0, 0.0);
        for (number, part) in numbers.into_iter().zip(self.parts) {
            let weight = part.episode_weight(weight)?;
            sum += number * weight;
            weights += weight;
        }
        Ok(Json::from_float(sum / weights))
    }
}

impl PieceJson<'_> {
    /// Returns how many episodes are behind the piece's averages.
    fn episode_weight(&self, key: Option<&KeyPath>) -> Result<f64, PieceRefusal> {
        let refuse = |why: String| PieceRefusal::new(&self.piece.shard, PieceFault::Different, why);
        let Some(key) = key else {
            return match &self.piece.work {
                PieceWork::Episodes(ids) | PieceWork::Tasks(ids) => Ok(ids.len() as f64),
                PieceWork::Whole | PieceWork::Values(_) => Err(refuse(
                    "nobody says how many episodes it has: write the rule as `mean by PATH`".to_owned(),
                )),
            };
        };
        let found = key.steps().iter().try_fold(&self.json, |value, step| match step {
            KeyPathStep::Name(name) => value.get(name),
            KeyPathStep::Each | KeyPathStep::At(_) => None,
        });
        found
            .and_then(Json::as_number)
            .ok_or_else(|| refuse(format!("it has no number `{}` to weigh by", key.as_str())))
    }
}

/// All of the values, or all that is wrong with them.
fn collect_values<T>(
    values: impl Iterator<Item = Result<T, Vec<PieceRefusal>>>,
) -> Result<Vec<T>, Vec<PieceRefusal>> {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for value in values {
        match value {
            Ok(value) => good.push(value),
            Err(refusals) => bad.extend(refusals),
        }
    }
    if bad.is_empty() { Ok(good) } else { Err(bad) }
}

/// Reports whether a rule's path leads to this place; `*` matches any name.
fn leads_to(key: &KeyPath, path: &[String]) -> bool {
    key.as_str() == path.join(".")
        || key.steps().len() == path.len()
            && key.steps().iter().zip(path).all(|(step, name)| match step {
                KeyPathStep::Name(wanted) => wanted == name,
                KeyPathStep::Each => true,
                KeyPathStep::At(_) => false,
            })
}

fn path_of(path: &[String], name: &str) -> String {
    path.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(".")
}
