//! `per_task` of LeRobot: the lists of each task, with the episodes of all pieces in the order of the serial run.

use std::collections::BTreeSet;

use super::episodes;
use super::part::EvalDocument;
use crate::results::merge::copies::{PieceContent, find_copies};
use crate::results::merge::json::{Json, strip_quotes};
use crate::results::merge::piece::{
    Piece, PieceFault, PieceNumbers, PieceRefusal, PieceWork, find_shared, wrong_tasks,
};

/// Lists with one element for each episode, by which a piece is counted.
const COUNTED: [&str; 3] = ["successes", "sum_rewards", "max_rewards"];

/// A task of the merged file.
pub struct Task {
    /// Name of the suite it belongs to.
    pub group: Json,
    /// Its entry in the first piece that has it.
    entry: Json,
    /// Its lists, merged from all pieces.
    pub metrics: Json,
}

impl Task {
    /// The entry of the merged file.
    pub fn to_json(&self) -> Json {
        let mut entry = self.entry.clone();
        entry.set_member("metrics", self.metrics.clone());
        entry
    }
}

/// The entry of one task in one piece.
#[derive(Clone, Copy)]
struct TaskEntry<'a> {
    piece: &'a Piece,
    json: &'a Json,
}

impl<'a> TaskEntry<'a> {
    fn key(&self) -> (Option<&'a Json>, Option<&'a Json>) {
        (self.json.get("task_group"), self.json.get("task_id"))
    }

    fn name(&self) -> String {
        let shown = |part: Option<&Json>| part.map(Json::display_text).unwrap_or_default();
        format!("{} {}", shown(self.key().0), shown(self.key().1))
    }

    fn metrics(&self) -> Option<&'a Json> {
        self.json.get("metrics")
    }

    fn refuse(&self, fault: PieceFault, why: String) -> PieceRefusal {
        PieceRefusal::new(&self.piece.shard, fault, why)
    }
}

/// The tasks of all pieces; none where the files have no `per_task`.
pub fn merge_tasks(
    parts: &[EvalDocument<'_>],
    notes: &mut Vec<String>,
) -> Result<Vec<Task>, Vec<PieceRefusal>> {
    let of_parts: Vec<Vec<TaskEntry<'_>>> = parts.iter().map(task_entries).collect();
    check_tasks(parts, &of_parts)?;
    let mut grouped: Vec<Vec<TaskEntry<'_>>> = Vec::new();
    for entry in of_parts.iter().flatten() {
        match grouped.iter_mut().find(|entries| entries[0].key() == entry.key()) {
            Some(entries) => entries.push(*entry),
            None => grouped.push(vec![*entry]),
        }
    }
    let mut refusals: Vec<PieceRefusal> = Vec::new();
    for entries in &grouped {
        refusals.extend(refuse_shared_task(entries));
        refusals.extend(present_everywhere(entries, parts));
        refusals.extend(entries.iter().filter_map(refuse_wrong_length));
        refusals.extend(refuse_copies(entries));
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    notes.extend(shared_videos(&of_parts));
    grouped.iter().map(|entries| merge_task(entries, notes)).collect()
}

fn task_entries<'a>(part: &'a EvalDocument<'_>) -> Vec<TaskEntry<'a>> {
    let list = part.body.get("per_task").and_then(Json::items).unwrap_or_default();
    list.iter().map(|json| TaskEntry { piece: part.piece, json }).collect()
}

/// Checks that each piece has its own tasks, where shards are made of tasks.
fn check_tasks(parts: &[EvalDocument<'_>], entries: &[Vec<TaskEntry<'_>>]) -> Result<(), Vec<PieceRefusal>> {
    let mut numbered = Vec::new();
    for (part, entries) in parts.iter().zip(entries) {
        let PieceWork::Tasks(ids) = &part.piece.work else { continue };
        let found: BTreeSet<i64> =
            entries.iter().filter_map(|entry| entry.json.get("task_id")?.as_integer()).collect();
        numbered.push(PieceNumbers { shard: &part.piece.shard, ids, found });
    }
    let wrong = wrong_tasks(&numbered);
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// Only slices of episodes share a task.
fn refuse_shared_task(entries: &[TaskEntry<'_>]) -> Vec<PieceRefusal> {
    let (first, others) = (entries[0], &entries[1..]);
    let sliced = |entry: &&TaskEntry<'_>| entry.piece.work.episode_ids().is_some();
    let extra = others.iter().filter(|entry| !sliced(entry) || entry.piece.shard == first.piece.shard);
    extra
        .map(|entry| {
            let why = format!("task {} is also in {}", entry.name(), first.piece.shard);
            entry.refuse(PieceFault::Overlapping, why)
        })
        .collect()
}

/// Checks that every slice has a part of a task that is cut into episodes.
fn present_everywhere(entries: &[TaskEntry<'_>], parts: &[EvalDocument<'_>]) -> Vec<PieceRefusal> {
    let has = |part: &&EvalDocument<'_>| entries.iter().any(|entry| entry.piece.shard == part.piece.shard);
    let lacking = parts.iter().filter(|part| part.piece.work.episode_ids().is_some() && !has(part));
    let why = format!("it lacks task {}, which is in {}", entries[0].name(), entries[0].piece.shard);
    lacking.map(|part| part.refuse(PieceFault::Incomplete, why.clone())).collect()
}

/// The lists have as many elements as the slice has episodes.
fn refuse_wrong_length(entry: &TaskEntry<'_>) -> Option<PieceRefusal> {
    let wanted = entry.piece.work.episode_ids()?.len();
    let lists = COUNTED.iter().filter_map(|name| Some((name, entry.metrics()?.get(name)?.items()?.len())));
    let (name, found) = lists.into_iter().find(|(_, found)| *found != wanted)?;
    let fault = if found < wanted { PieceFault::Incomplete } else { PieceFault::Different };
    Some(entry.refuse(fault, format!("task {} has {found} of {wanted} episodes in `{name}`", entry.name())))
}

/// Slices whose rewards are those of another one did not evaluate episodes of their own.
fn refuse_copies<'a>(entries: &[TaskEntry<'a>]) -> Vec<PieceRefusal> {
    let place = format!(" of task {}", entries[0].name());
    let of = |name: &&str| {
        let content = |entry: &TaskEntry<'a>| {
            Some(PieceContent::from_elements(entry.piece, entry.json.get("metrics")?.get(name)?.items()?))
        };
        find_copies(&place, &entries.iter().filter_map(content).collect::<Vec<_>>())
    };
    COUNTED.iter().map(of).find(|refusals| !refusals.is_empty()).unwrap_or_default()
}

/// Two pieces that name one file have overwritten each other.
fn shared_videos(parts: &[Vec<TaskEntry<'_>>]) -> Vec<String> {
    let paths = parts.iter().flatten().flat_map(|entry| {
        let members = entry.metrics().and_then(Json::members).unwrap_or_default();
        let lists = members.iter().filter(|(name, _)| is_path(strip_quotes(name)));
        let paths = lists.flat_map(|(_, list)| list.items().unwrap_or_default());
        paths.map(|path| (path.display_text(), &entry.piece.shard))
    });
    let told = |(path, shards): (String, Vec<&crate::model::ids::ShardId>)| {
        let shards: Vec<&str> = shards.iter().map(|shard| shard.as_str()).collect();
        format!("{path} was written by {}: only the last of them is there", shards.join(" and "))
    };
    find_shared(paths).into_iter().map(told).collect()
}

fn is_path(name: &str) -> bool {
    name.ends_with("_paths")
}

fn merge_task(entries: &[TaskEntry<'_>], notes: &mut Vec<String>) -> Result<Task, Vec<PieceRefusal>> {
    let first = entries[0];
    let group = first.key().0.cloned().unwrap_or(Json::Text(String::new()));
    let metrics = match entries {
        [only] => only.metrics().cloned().unwrap_or(Json::Map(Vec::new())),
        entries => Json::Map(merge_metrics(entries, notes)?),
    };
    Ok(Task { group, entry: first.json.clone(), metrics })
}

/// Each member of the first entry, with the episodes of all.
fn merge_metrics(
    entries: &[TaskEntry<'_>],
    notes: &mut Vec<String>,
) -> Result<Vec<(String, Json)>, Vec<PieceRefusal>> {
    let first = entries[0].metrics().and_then(Json::members).unwrap_or_default();
    let mut merged = Vec::new();
    for (key, value) in first {
        let name = strip_quotes(key);
        let values: Vec<(&Piece, &Json)> =
            entries.iter().filter_map(|entry| Some((entry.piece, entry.metrics()?.get(name)?))).collect();
        let lists: Option<Vec<(&Piece, &[Json])>> =
            values.iter().map(|(piece, value)| Some((*piece, value.items()?))).collect();
        match lists.filter(|lists| lists.len() == entries.len()) {
            Some(lists) if name == "per_episode" => {
                merged.push((key.clone(), Json::List(episodes::merge_episodes(&lists)?)));
            }
            Some(lists) => merged.push((key.clone(), Json::List(in_order(&lists)))),
            None if values.len() == entries.len() && values.iter().all(|(_, other)| *other == value) => {
                merged.push((key.clone(), value.clone()));
            }
            None => {
                notes.push(format!("`{name}` of task {} differs and was left out", entries[0].name()));
            }
        }
    }
    Ok(merged)
}

/// Merges several lists into one: by episode where each element is one, else piece by piece. Of videos there are only
/// those of the first episodes of each piece.
fn in_order(lists: &[(&Piece, &[Json])]) -> Vec<Json> {
    let numbered = lists.iter().enumerate().flat_map(|(place, (piece, list))| {
        let ids = piece.work.episode_ids().unwrap_or_default();
        let by_episode = list.len() <= ids.len();
        list.iter().enumerate().map(move |(position, value)| {
            let episode = if by_episode { ids[position] } else { piece.work.first_id() };
            ((episode, place), value)
        })
    });
    let mut numbered: Vec<((u64, usize), &Json)> = numbered.collect();
    numbered.sort_by_key(|(order, _)| *order);
    numbered.into_iter().map(|(_, value)| value.clone()).collect()
}
