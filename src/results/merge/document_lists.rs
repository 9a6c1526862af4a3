//! Lists of documents: those of settings are equal in all pieces and stay single, those of episodes are known by their
//! numbers, by their seeds, or by having one element for each episode of the shard.

use super::copies::{PieceContent, are_telling, find_copies};
use super::episode_numbers::{self, NUMBERS, PieceEntries, SEEDS, repeated_seeds};
use super::json::{Json, quote_text, strip_quotes};
use super::key_names::{
    is_list_of_numbers, is_list_of_seeds, is_of_episode, is_of_episodes, is_setting, rule_key,
};
use super::piece::{Piece, PieceFault, PieceRefusal};
use crate::model::ids::ShardId;

/// The lists of the pieces at one path.
pub struct PathLists<'a> {
    /// Path that leads to them in the documents.
    pub path: &'a [String],
    /// The list of each piece.
    pub lists: Vec<(&'a Piece, &'a [Json])>,
}

/// How many lists have as many elements as their shard has episodes, tasks or values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LengthFit {
    All,
    Some,
    None,
}

impl<'a> PathLists<'a> {
    /// Merges the lists of all pieces into one.
    pub fn merge(&self) -> Result<Json, Vec<PieceRefusal>> {
        let is_equal = self.is_equal();
        if is_equal && (self.is_empty() || is_setting(self.path)) {
            return Ok(self.first_list());
        }
        let sliced = self.lists.iter().all(|(piece, _)| piece.work.episode_ids().is_some());
        if sliced && let Some(entries) = self.numbered_entries() {
            return self.by_number(&entries);
        }
        // One list may be that of settings, or of anything.
        if self.lists.len() == 1 {
            return Ok(self.first_list());
        }
        let is_named = is_of_episodes(self.path) || self.is_of_outcomes();
        match (is_equal, self.classify_fit(), is_named) {
            (true, LengthFit::None, false) => Ok(self.first_list()),
            (true, LengthFit::All | LengthFit::Some, false) if !self.is_telling() => Err(self.ask_for_rule()),
            (_, LengthFit::None, _) if sliced => Err(self.does_not_add_up()),
            (_, _, _) if sliced => self.by_episode(),
            (_, fit, _) => self.one_behind_the_other(fit),
        }
    }

    /// Returns a list with one element for each episode, by a rule.
    pub fn by_episode(&self) -> Result<Json, Vec<PieceRefusal>> {
        let wrong = self.wrong_work();
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let ids = |piece: &'a Piece| piece.work.episode_ids().unwrap_or_default();
        let episodes = self.lists.iter().flat_map(|(piece, list)| ids(piece).iter().zip(*list));
        let mut ordered: Vec<(&u64, &Json)> = episodes.collect();
        ordered.sort_by_key(|(episode, _)| **episode);
        Ok(Json::List(ordered.into_iter().map(|(_, value)| value.clone()).collect()))
    }

    /// Concatenates the lists by a rule.
    pub fn join(&self) -> Json {
        Json::List(self.lists.iter().flat_map(|(_, list)| list.iter().cloned()).collect())
    }

    /// Lists of shards that are packs or tasks.
    fn one_behind_the_other(&self, fit: LengthFit) -> Result<Json, Vec<PieceRefusal>> {
        let misfits = self.misfit_lists();
        let wrong = match fit {
            LengthFit::Some if 2 * misfits.len() < self.lists.len() => self.wrong_work(),
            LengthFit::All | LengthFit::Some | LengthFit::None => {
                find_copies(&self.place_suffix(), &self.piece_contents())
            }
        };
        if wrong.is_empty() { Ok(self.join()) } else { Err(wrong) }
    }

    fn first_list(&self) -> Json {
        Json::List(self.lists.first().map(|(_, list)| list.to_vec()).unwrap_or_default())
    }

    fn is_empty(&self) -> bool {
        self.lists.iter().all(|(_, list)| list.is_empty())
    }

    fn is_equal(&self) -> bool {
        self.lists.windows(2).all(|pair| pair[0].1 == pair[1].1)
    }

    fn all_elements(&self) -> impl Iterator<Item = &'a Json> {
        self.lists.iter().flat_map(|(_, list)| *list)
    }

    fn is_of_outcomes(&self) -> bool {
        let is_outcome = |value: &Json| match value {
            Json::Word(word) => word == "true" || word == "false",
            Json::Map(members) => members.iter().any(|(key, _)| is_of_episode(strip_quotes(key))),
            Json::Text(_) | Json::List(_) => false,
        };
        self.all_elements().all(is_outcome)
    }

    fn is_telling(&self) -> bool {
        let list = self.lists.first().map(|(_, list)| *list).unwrap_or_default();
        list.len() > 1 && are_telling(list)
    }

    fn classify_fit(&self) -> LengthFit {
        match self.misfit_lists().len() {
            0 => LengthFit::All,
            misfits if misfits < self.lists.len() => LengthFit::Some,
            _ => LengthFit::None,
        }
    }

    fn misfit_lists(&self) -> Vec<&(&'a Piece, &'a [Json])> {
        let fits =
            |(piece, list): &(&Piece, &[Json])| piece.work.size().is_some_and(|(size, _)| size == list.len());
        self.lists.iter().filter(|list| !fits(list)).collect()
    }

    fn piece_contents(&self) -> Vec<PieceContent<'a>> {
        self.lists.iter().map(|(piece, list)| PieceContent::from_elements(piece, *list)).collect()
    }

    fn place_suffix(&self) -> String {
        format!(" in `{}`", rule_key(self.path))
    }

    /// Pieces with the episodes of others, with the same seeds, with too few or with too many.
    fn wrong_work(&self) -> Vec<PieceRefusal> {
        let mut wrong = self.wrong_seeds();
        if wrong.is_empty() {
            wrong = find_copies(&self.place_suffix(), &self.piece_contents());
        }
        for (piece, list) in self.misfit_lists() {
            let named = wrong.iter().any(|refusal| refusal.shard == piece.shard);
            let Some((size, unit)) = piece.work.size().filter(|_| !named) else { continue };
            let fault = if list.len() < size { PieceFault::Incomplete } else { PieceFault::Different };
            let why = format!("it has {} of {size} {unit}s{}", list.len(), self.place_suffix());
            wrong.push(PieceRefusal::new(&piece.shard, fault, why));
        }
        wrong
    }

    fn wrong_seeds(&self) -> Vec<PieceRefusal> {
        let of = |seed: &dyn Fn(&Json) -> Option<i64>| -> Option<Vec<(&ShardId, Vec<i64>)>> {
            let seeds = |list: &[Json]| list.iter().map(seed).collect::<Option<Vec<i64>>>();
            self.lists.iter().map(|(piece, list)| Some((&piece.shard, seeds(list)?))).collect()
        };
        let found = match is_list_of_seeds(self.path) {
            true => of(&Json::as_integer),
            false => SEEDS.iter().find_map(|name| of(&|element| element.get(name)?.as_integer())),
        };
        found.map(|seeds| repeated_seeds(&seeds)).unwrap_or_default()
    }

    /// The numbers of the episodes, and the name they go by; none for a list of numbers.
    fn numbered_entries(&self) -> Option<(Option<&'static str>, Vec<PieceEntries<'a>>)> {
        if self.is_empty() {
            return None;
        }
        let of = |number: &dyn Fn(&Json) -> Option<i64>| -> Option<Vec<PieceEntries<'a>>> {
            let entries = |(piece, list): &(&'a Piece, &'a [Json])| {
                let ids = piece.work.episode_ids().unwrap_or_default();
                let numbers = list.iter().map(number).collect::<Option<Vec<i64>>>()?;
                Some(PieceEntries { shard: &piece.shard, ids, numbers })
            };
            self.lists.iter().map(entries).collect()
        };
        if is_list_of_numbers(self.path)
            && let Some(entries) = of(&Json::as_integer)
        {
            return Some((None, entries));
        }
        NUMBERS.iter().find_map(|name| Some((Some(*name), of(&|element| element.get(name)?.as_integer())?)))
    }

    fn by_number(
        &self,
        (name, entries): &(Option<&str>, Vec<PieceEntries<'_>>),
    ) -> Result<Json, Vec<PieceRefusal>> {
        let wrong = self.wrong_seeds();
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let numbering = episode_numbers::check_episode_numbers(entries)?;
        let copied = if name.is_some() {
            find_copies(&self.place_suffix(), &self.piece_contents())
        } else {
            Vec::new()
        };
        if !copied.is_empty() {
            return Err(copied);
        }
        let mut ordered = Vec::new();
        for ((_, list), entries) in self.lists.iter().zip(entries) {
            for (order, element) in entries.entry_orders(numbering).into_iter().zip(*list) {
                let number = Json::from_integer(numbering.serial_number(order.1));
                let mut element = element.clone();
                match name {
                    Some(name) if element.get(name) == Some(&number) => {}
                    Some(name) => element.set_member(name, number),
                    None => element = number,
                }
                ordered.push((order, element));
            }
        }
        ordered.sort_by_key(|(order, _)| *order);
        Ok(Json::List(ordered.into_iter().map(|(_, element)| element).collect()))
    }

    /// Unknown whether it is a setting, or by chance the same in the episodes of all pieces.
    fn ask_for_rule(&self) -> Vec<PieceRefusal> {
        let refuse = |(piece, list): &(&Piece, &[Json])| {
            let (path, found) = (rule_key(self.path), format_entry_count(list.len()));
            let unit = piece.work.size().map_or("value", |(_, unit)| unit);
            let of_episodes = if unit == "episode" { "episodes" } else { "join" };
            let why = format!(
                "`{path}` has the same {found} in all pieces, as many as {unit}s: under `[results.rules]` say \
                 `{path} = \"same\"` if it is a setting, `{path} = \"{of_episodes}\"` if each is one of the {unit}s"
            );
            PieceRefusal::new(&piece.shard, PieceFault::Different, why)
        };
        self.lists.iter().map(refuse).collect()
    }

    fn does_not_add_up(&self) -> Vec<PieceRefusal> {
        let refuse = |(piece, list): &(&Piece, &[Json])| {
            let (path, found) = (rule_key(self.path), format_entry_count(list.len()));
            let size = piece.work.size().map_or(0, |(size, _)| size);
            let other = if self.is_equal() { "same" } else { "first" };
            let why = format!(
                "`{path}` has {found} for {size} episodes: if it has not one for each, say `{path} = \"join\"` (one list \
                 behind the other) or `\"{other}\"` under `[results.rules]`"
            );
            PieceRefusal::new(&piece.shard, PieceFault::Different, why)
        };
        self.lists.iter().map(refuse).collect()
    }
}

fn format_entry_count(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

/// Maps from the numbers of episodes to what they are, as one such map; `None` if they are others.
pub fn merge_keyed_maps(
    path: &[String],
    values: &[(&Piece, &Json)],
) -> Option<Result<Json, Vec<PieceRefusal>>> {
    let mut entries = Vec::new();
    let mut fits = false;
    for (piece, value) in values {
        let (members, ids) = (value.members()?, piece.work.episode_ids()?);
        let numbers =
            members.iter().map(|(key, _)| strip_quotes(key).parse().ok()).collect::<Option<Vec<i64>>>()?;
        fits |= numbers.len() == ids.len();
        entries.push(PieceEntries { shard: &piece.shard, ids, numbers });
    }
    if !fits || is_setting(path) {
        return None;
    }
    Some(by_key(path, values, &entries))
}

fn by_key(
    path: &[String],
    values: &[(&Piece, &Json)],
    entries: &[PieceEntries<'_>],
) -> Result<Json, Vec<PieceRefusal>> {
    let numbering = episode_numbers::check_episode_numbers(entries)?;
    let members = |value: &'_ Json| value.members().unwrap_or_default().to_vec();
    let lists: Vec<Vec<(String, Json)>> = values.iter().map(|(_, value)| members(value)).collect();
    let contents: Vec<PieceContent<'_>> = values
        .iter()
        .zip(&lists)
        .map(|((piece, _), list)| PieceContent::from_elements(piece, list.iter().map(|(_, value)| value)))
        .collect();
    let copied = find_copies(&format!(" in `{}`", rule_key(path)), &contents);
    if !copied.is_empty() {
        return Err(copied);
    }
    let orders = entries.iter().flat_map(|entries| entries.entry_orders(numbering));
    let mut ordered: Vec<((u64, u64), Json)> =
        orders.zip(lists.iter().flatten().map(|(_, value)| value.clone())).collect();
    ordered.sort_by_key(|(order, _)| *order);
    let member = |((_, episode), value): ((u64, u64), Json)| {
        (quote_text(&numbering.serial_number(episode).to_string()), value)
    };
    Ok(Json::Map(ordered.into_iter().map(member).collect()))
}
