//! `per_episode` of LeRobot: one map for each episode, numbered again where each piece began at 0.

use super::part::EvalDocument;
use crate::results::merge::copies::{PieceContent, find_copies};
use crate::results::merge::json::Json;
use crate::results::merge::piece::{
    Piece, PieceFault, PieceNumbers, PieceRefusal, detect_numbering, format_numbers,
};

/// The names that the number of an episode goes by.
const NUMBERS: [&str; 3] = ["episode_ix", "episode_index", "episode"];

/// The lists of all documents as one; none where the files have none.
pub fn of_documents(parts: &[EvalDocument<'_>]) -> Result<Option<Vec<Json>>, Vec<PieceRefusal>> {
    let lists: Option<Vec<(&Piece, &[Json])>> =
        parts.iter().map(|part| Some((part.piece, part.body.get("per_episode")?.items()?))).collect();
    lists.filter(|lists| !lists.is_empty()).map(|lists| merge_episodes(&lists)).transpose()
}

/// Merges several lists into one.
pub fn merge_episodes(lists: &[(&Piece, &[Json])]) -> Result<Vec<Json>, Vec<PieceRefusal>> {
    if lists.iter().any(|(piece, _)| piece.work.episode_ids().is_none()) {
        return take_unnumbered(lists);
    }
    let short: Vec<PieceRefusal> =
        lists.iter().filter_map(|(piece, list)| refuse_wrong_count(piece, list)).collect();
    if !short.is_empty() {
        return Err(short);
    }
    let mut entries = number_episodes(lists)?;
    entries.sort_by_key(|entry| entry.episode);
    let wrong = wrong_seeds(&entries);
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let contents: Vec<PieceContent<'_>> =
        lists.iter().map(|(piece, list)| PieceContent::from_elements(piece, *list)).collect();
    let copied = find_copies("", &contents);
    if !copied.is_empty() {
        return Err(copied);
    }
    Ok(entries.into_iter().map(|entry| entry.json).collect())
}

/// Takes episodes without numbers as they are, which is only safe for a single piece.
fn take_unnumbered(lists: &[(&Piece, &[Json])]) -> Result<Vec<Json>, Vec<PieceRefusal>> {
    let Some(((first, list), others)) = lists.split_first() else { return Ok(Vec::new()) };
    let why = format!("its episodes may be those of {}: nothing says which they are", first.shard);
    if others.is_empty() {
        return Ok(list.to_vec());
    }
    Err(others
        .iter()
        .map(|(piece, _)| PieceRefusal::new(&piece.shard, PieceFault::Overlapping, why.clone()))
        .collect())
}

fn refuse_wrong_count(piece: &Piece, list: &[Json]) -> Option<PieceRefusal> {
    let wanted = piece.work.episode_ids()?.len();
    let fault = match list.len() {
        found if found < wanted => PieceFault::Incomplete,
        found if found > wanted => PieceFault::Different,
        _ => return None,
    };
    Some(PieceRefusal::new(&piece.shard, fault, format!("it has {} of {wanted} episodes", list.len())))
}

/// An episode of a piece.
struct EpisodeEntry<'a> {
    piece: &'a Piece,
    episode: u64,
    json: Json,
}

/// Every episode with its number in the serial run, which is also written into it.
fn number_episodes<'a>(lists: &[(&'a Piece, &[Json])]) -> Result<Vec<EpisodeEntry<'a>>, Vec<PieceRefusal>> {
    let name = NUMBERS.into_iter().find(|name| {
        lists.iter().flat_map(|(_, list)| *list).all(|entry| entry.get(name).is_some_and(is_whole))
    });
    let number = |entry: &Json| name.and_then(|name| entry.get(name)?.as_integer());
    let found: Vec<PieceNumbers<'_>> = lists
        .iter()
        .map(|(piece, list)| PieceNumbers {
            shard: &piece.shard,
            ids: piece.work.episode_ids().unwrap_or_default(),
            found: list.iter().filter_map(number).collect(),
        })
        .collect();
    let numbering = name.map(|_| detect_numbering(&found)).transpose()?;
    let mut entries = Vec::new();
    for (piece, list) in lists {
        let ids = piece.work.episode_ids().unwrap_or_default();
        for (place, json) in list.iter().enumerate() {
            let mut json = json.clone();
            let known = numbering.zip(number(&json)).and_then(|(way, found)| way.resolve_episode(ids, found));
            let episode = known.unwrap_or(ids[place]);
            if let Some((numbering, name)) = numbering.zip(name) {
                json.set_member(name, Json::from_integer(numbering.serial_number(episode)));
            }
            entries.push(EpisodeEntry { piece, episode, json });
        }
    }
    Ok(entries)
}

fn is_whole(value: &Json) -> bool {
    value.as_integer().is_some()
}

/// LeRobot counts its seeds up with the episodes, from the first one on.
fn wrong_seeds(entries: &[EpisodeEntry<'_>]) -> Vec<PieceRefusal> {
    let seed = |entry: &EpisodeEntry<'_>| entry.json.get("seed").and_then(Json::as_integer);
    let start = |entry: &EpisodeEntry<'_>| Some(seed(entry)?.wrapping_sub_unsigned(entry.episode));
    let Some(first) = entries.first().and_then(start) else { return Vec::new() };
    // One seed for all episodes is no count.
    if entries.len() > 1 && entries.windows(2).all(|pair| seed(&pair[0]) == seed(&pair[1])) {
        return Vec::new();
    }
    let mut refusals: Vec<PieceRefusal> = Vec::new();
    for entry in entries {
        let Some(found) = seed(entry).filter(|_| start(entry) != Some(first)) else { continue };
        if refusals.iter().any(|refusal| refusal.shard == entry.piece.shard) {
            continue;
        }
        let twin =
            entries.iter().find(|other| other.piece.shard != entry.piece.shard && seed(other) == Some(found));
        let episode = format_numbers("episode", &[i64::try_from(entry.episode).unwrap_or(i64::MAX)]);
        let right = first.wrapping_add_unsigned(entry.episode);
        let (fault, also) = match twin {
            Some(twin) => (PieceFault::Overlapping, format!(", which {} has already", twin.piece.shard)),
            None => (PieceFault::Different, String::new()),
        };
        let why = format!("{episode} has the seed {found} in place of {right}{also}");
        refusals.push(PieceRefusal::new(&entry.piece.shard, fault, why));
    }
    refusals
}
