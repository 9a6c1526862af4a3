//! The episodes that a file of a shard holds, each as one number, so that those of many shards can be compared.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::copies::{Element, is_telling, numbers_of};
use super::json::{Json, strip_quotes};
use super::key_names::is_of_episodes;
use super::piece::{Piece, text_of};
use super::sheet::{self, RowFormat, SheetRow};

/// Fewer are no list.
const FEWEST: usize = 2;

/// Parts of names that mark a number as a time: it differs also where the same is done twice.
const TIMES: [&str; 8] = ["date", "duration", "elapsed", "fps", "latency", "per_s", "time", "wall"];

/// Episodes in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpisodeHashes {
    /// The file and where it is in it: the same for all shards.
    pub place: String,
    /// A hash of what was measured of each; no numbers of episodes, no seeds, no times.
    pub episodes: Vec<u64>,
    /// Chance does not repeat it.
    pub is_telling: bool,
}

impl EpisodeHashes {
    fn from_elements<'a>(place: String, elements: &[&'a Json]) -> Option<Self> {
        let measured = |element: &&'a Json| -> Element<'a> {
            numbers_of(element).into_iter().filter(|(path, _)| !is_time(path)).collect()
        };
        let numbers: Vec<Element<'a>> = elements.iter().map(measured).collect();
        let hash = |numbers: &Element<'_>| {
            let mut hasher = DefaultHasher::new();
            numbers.hash(&mut hasher);
            hasher.finish()
        };
        let (episodes, is_telling) = (numbers.iter().map(hash).collect(), is_telling(&numbers));
        (elements.len() >= FEWEST).then_some(Self { place, episodes, is_telling })
    }
}

/// The lists of episodes in the file of a shard, by its name; empty if it is no such file, or does not read.
pub fn lists_of(name: &str, piece: &Piece) -> Vec<EpisodeHashes> {
    let rows = |format| {
        let Ok(sheet) = sheet::read_sheet(piece, format) else { return Vec::new() };
        let rows: Vec<Json> = sheet.rows.iter().map(SheetRow::to_json).collect();
        let rows: Vec<&Json> = rows.iter().collect();
        EpisodeHashes::from_elements(name.to_owned(), &rows).into_iter().collect()
    };
    match name.rsplit_once('.').map(|(_, end)| end) {
        Some("jsonl") => rows(RowFormat::Jsonl),
        Some("csv") => rows(RowFormat::Csv),
        Some("json") => {
            let mut found = Vec::new();
            if let Ok(document) = Json::parse(&text_of(&piece.bytes)) {
                collect_lists(&document, &mut vec![name.to_owned()], &mut found);
            }
            found
        }
        Some(_) | None => Vec::new(),
    }
}

/// Lists that are of episodes by their names.
fn collect_lists(json: &Json, path: &mut Vec<String>, found: &mut Vec<EpisodeHashes>) {
    match json {
        Json::Map(members) => {
            for (key, value) in members {
                path.push(strip_quotes(key).to_owned());
                collect_lists(value, path, found);
                path.pop();
            }
        }
        Json::List(items) => {
            let elements: Vec<&Json> = items.iter().collect();
            let is_of_maps = items.iter().all(|item| matches!(item, Json::Map(_)));
            if is_of_maps || is_of_episodes(&path[1..]) {
                found.extend(EpisodeHashes::from_elements(path.join("."), &elements));
            }
            let is_inner = |item: &&Json| matches!(item, Json::Map(_) | Json::List(_));
            items.iter().filter(is_inner).for_each(|item| collect_lists(item, path, found));
        }
        Json::Word(_) | Json::Text(_) => {}
    }
}

fn is_time(path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or(path).to_ascii_lowercase();
    name.ends_with("_s") || name.ends_with("_ms") || TIMES.iter().any(|time| name.contains(time))
}
