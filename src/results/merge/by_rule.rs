//! Any JSON: maps are merged member by member, lists are put together, and numbers follow the rules of the sweep.

use super::json::{Json, Style, plain};
use super::made::Made;
use super::piece::{Fault, Piece, Refusal, Work, all, text_of};
use crate::model::key_path::{KeyPath, Step};
use crate::model::results_spec::{MergeRule, MergeWay};

/// A piece as a document, with what it weighs.
struct Part<'a> {
    piece: &'a Piece,
    json: Json,
}

/// One place of the documents: the path to it, and what each piece has there.
struct Place<'a> {
    path: Vec<String>,
    values: Vec<&'a Json>,
}

/// Merges pieces that are in the order of the serial run.
pub fn merge(pieces: &[Piece], rules: &[MergeRule]) -> Result<Made, Vec<Refusal>> {
    let parts = all(pieces.iter().map(read))?;
    let Some(first) = parts.first() else { return Ok(Made::default()) };
    let merging = Merging { parts: &parts, rules };
    let place = Place { path: Vec::new(), values: parts.iter().map(|part| &part.json).collect() };
    let merged = merging.value(&place).map_err(|refusal| vec![refusal])?;
    let text = Style::of(&text_of(&first.piece.bytes)).write(&merged);
    Ok(Made { text, notes: Vec::new() })
}

fn read(piece: &Piece) -> Result<Part<'_>, Refusal> {
    let json = Json::parse(&text_of(&piece.bytes))
        .map_err(|error| Refusal::new(&piece.shard, Fault::Unreadable, format!("it {error}")))?;
    Ok(Part { piece, json })
}

struct Merging<'a> {
    parts: &'a [Part<'a>],
    rules: &'a [MergeRule],
}

impl Merging<'_> {
    fn value(&self, place: &Place<'_>) -> Result<Json, Refusal> {
        if let Some(rule) = self.rules.iter().find(|rule| leads_to(&rule.key, &place.path)) {
            return self.by(&rule.way, place);
        }
        if place.values.iter().all(|value| value.members().is_some()) {
            return self.map(place);
        }
        if place.values.iter().all(|value| value.items().is_some()) {
            return Ok(self.list(place));
        }
        self.same(place)
    }

    /// The members of the first, then those that only others have.
    fn map(&self, place: &Place<'_>) -> Result<Json, Refusal> {
        let mut keys: Vec<&String> = Vec::new();
        for (key, _) in place.values.iter().flat_map(|value| value.members().unwrap_or_default()) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let mut members = Vec::new();
        for key in keys {
            let name = plain(key);
            let mut values = Vec::new();
            for (value, part) in place.values.iter().zip(self.parts) {
                values.push(value.get(name).ok_or_else(|| {
                    let why = format!("it has no `{}`, which other pieces have", path_of(&place.path, name));
                    Refusal::new(&part.piece.shard, Fault::Different, why)
                })?);
            }
            let path = place.path.iter().cloned().chain([name.to_owned()]).collect();
            members.push((key.clone(), self.value(&Place { path, values })?));
        }
        Ok(Json::Map(members))
    }

    /// By episode where each list has one element for each, else one list behind the other.
    fn list(&self, place: &Place<'_>) -> Json {
        let lists: Vec<(&Piece, &[Json])> = self
            .parts
            .iter()
            .zip(&place.values)
            .map(|(part, value)| (part.piece, value.items().unwrap_or_default()))
            .collect();
        let fits =
            |(piece, list): &(&Piece, &[Json])| piece.work.episodes().map(<[u64]>::len) == Some(list.len());
        let by_episode = lists.iter().all(fits);
        let mut ordered: Vec<(u64, &Json)> = Vec::new();
        for (place, (piece, list)) in (0..).zip(&lists) {
            let ids = piece.work.episodes().unwrap_or_default();
            let order = |position: usize| if by_episode { ids[position] } else { place };
            ordered.extend(list.iter().enumerate().map(|(position, value)| (order(position), value)));
        }
        ordered.sort_by_key(|(order, _)| *order);
        Json::List(ordered.into_iter().map(|(_, value)| value.clone()).collect())
    }

    fn same(&self, place: &Place<'_>) -> Result<Json, Refusal> {
        let first = place.values[0];
        let other = self.parts.iter().zip(&place.values).find(|(_, value)| **value != first);
        let Some((part, value)) = other else { return Ok(first.clone()) };
        let path = place.path.join(".");
        let why = format!(
            "`{path}` is {} there and {} in {}: give `{path}` a rule under `[results.rules]`, such as `sum` or `mean`",
            value.shown(),
            first.shown(),
            self.parts[0].piece.shard
        );
        Err(Refusal::new(&part.piece.shard, Fault::Different, why))
    }

    fn by(&self, way: &MergeWay, place: &Place<'_>) -> Result<Json, Refusal> {
        match way {
            MergeWay::Same => self.same(place),
            MergeWay::First => Ok(place.values[0].clone()),
            MergeWay::List => Ok(Json::List(place.values.iter().map(|value| (*value).clone()).collect())),
            MergeWay::Sum => self.sum(place),
            MergeWay::Min | MergeWay::Max => self.extreme(place, *way == MergeWay::Max),
            MergeWay::Mean { weight } => self.mean(place, weight.as_ref()),
        }
    }

    fn numbers(&self, place: &Place<'_>) -> Result<Vec<f64>, Refusal> {
        let number = |(part, value): (&Part<'_>, &&Json)| {
            value.number().ok_or_else(|| {
                let why = format!("`{}` is {} and no number", place.path.join("."), value.shown());
                Refusal::new(&part.piece.shard, Fault::Different, why)
            })
        };
        self.parts.iter().zip(&place.values).map(number).collect()
    }

    fn sum(&self, place: &Place<'_>) -> Result<Json, Refusal> {
        let whole: Option<Vec<i64>> = place.values.iter().map(|value| value.integer()).collect();
        if let Some(whole) = whole {
            return Ok(Json::whole(whole.into_iter().map(i128::from).sum::<i128>()));
        }
        let numbers = self.numbers(place)?;
        Ok(Json::float(numbers.into_iter().fold(0.0, |sum, number| sum + number)))
    }

    fn extreme(&self, place: &Place<'_>, largest: bool) -> Result<Json, Refusal> {
        let numbers = self.numbers(place)?;
        let mut best = 0;
        for (position, number) in numbers.iter().enumerate() {
            let better = if largest { *number > numbers[best] } else { *number < numbers[best] };
            best = if better || numbers[best].is_nan() { position } else { best };
        }
        Ok(place.values[best].clone())
    }

    fn mean(&self, place: &Place<'_>, weight: Option<&KeyPath>) -> Result<Json, Refusal> {
        let numbers = self.numbers(place)?;
        let (mut sum, mut weights) = (0.0, 0.0);
        for (number, part) in numbers.into_iter().zip(self.parts) {
            let weight = part.weight(weight)?;
            sum += number * weight;
            weights += weight;
        }
        Ok(Json::float(sum / weights))
    }
}

impl Part<'_> {
    /// How many episodes stand behind the piece's averages.
    fn weight(&self, key: Option<&KeyPath>) -> Result<f64, Refusal> {
        let refuse = |why: String| Refusal::new(&self.piece.shard, Fault::Different, why);
        let Some(key) = key else {
            return match &self.piece.work {
                Work::Episodes(ids) | Work::Tasks(ids) => Ok(ids.len() as f64),
                Work::Whole => Err(refuse(
                    "nobody says how many episodes it has: write the rule as `mean by PATH`".to_owned(),
                )),
            };
        };
        let found = key.steps().iter().try_fold(&self.json, |value, step| match step {
            Step::Name(name) => value.get(name),
            Step::Each | Step::At(_) => None,
        });
        found
            .and_then(Json::number)
            .ok_or_else(|| refuse(format!("it has no number `{}` to weigh by", key.as_str())))
    }
}

/// Whether a rule's path leads to this place; `*` stands for any name.
fn leads_to(key: &KeyPath, path: &[String]) -> bool {
    key.as_str() == path.join(".")
        || key.steps().len() == path.len()
            && key.steps().iter().zip(path).all(|(step, name)| match step {
                Step::Name(wanted) => wanted == name,
                Step::Each => true,
                Step::At(_) => false,
            })
}

fn path_of(path: &[String], name: &str) -> String {
    path.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(".")
}
