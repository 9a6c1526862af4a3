//! `eval_info.json` of LeRobot: the pieces of one combo become the file of the serial run.
//!
//! Every average is computed again from the lists of episodes, because averages of averages are wrong where shards
//! differ in size. A file that holds averages only is refused.

use super::episodes;
use super::part::{self, EvalDocument};
use super::summary::{self, SummaryLists};
use super::tasks::{self, Task};
use crate::results::merge::json::{Json, strip_quotes};
use crate::results::merge::made::Made;
use crate::results::merge::piece::{Piece, PieceFault, PieceRefusal, collect_results};

/// Merges pieces that are in the order of the serial run.
pub fn merge_eval_info(pieces: &[Piece]) -> Result<Made, Vec<PieceRefusal>> {
    let parts = collect_results(pieces.iter().map(part::read_part))?;
    let Some(first) = parts.first() else { return Ok(Made::default()) };
    let strange = |part: &&EvalDocument<'_>| part.shape() != first.shape();
    let different: Vec<PieceRefusal> =
        parts.iter().filter(strange).map(|part| part.refuse_shape(first)).collect();
    if !different.is_empty() {
        return Err(different);
    }
    let mut made = Made::default();
    let tasks = tasks::merge_tasks(&parts, &mut made.notes)?;
    let episodes = episodes::of_documents(&parts)?;
    if tasks.is_empty() && episodes.is_none() {
        let why = "it has averages only, and no lists of episodes to make one from";
        return Err(parts.iter().map(|part| part.refuse(PieceFault::Unreadable, why)).collect());
    }
    let body = assemble_document(&parts, &tasks, episodes, &mut made.notes);
    let document = match &first.wrapped {
        Some(name) => Json::Map(vec![(name.clone(), body)]),
        None => body,
    };
    made.text = first.style.write(&document);
    Ok(made)
}

/// The members of the first piece, each made of all.
fn assemble_document(
    parts: &[EvalDocument<'_>],
    tasks: &[Task],
    episodes: Option<Vec<Json>>,
    notes: &mut Vec<String>,
) -> Json {
    let arithmetic = summary::detect_arithmetic(parts);
    let of_tasks = |group: Option<&Json>| SummaryLists::of_tasks(tasks, group);
    let of_all = || match &episodes {
        Some(episodes) if tasks.is_empty() => SummaryLists::of_episodes(episodes),
        Some(_) | None => of_tasks(None),
    };
    let mut body = Vec::new();
    for (key, value) in parts[0].body.members().unwrap_or_default() {
        let merged = match strip_quotes(key) {
            "per_task" => Some(Json::List(tasks.iter().map(Task::to_json).collect())),
            "per_episode" => episodes.clone().map(Json::List),
            "per_group" => Some(summary::merge_groups(parts, arithmetic, |group| of_tasks(Some(group)))),
            name @ ("overall" | "aggregated") => {
                let templates: Vec<&Json> = parts.iter().filter_map(|part| part.body.get(name)).collect();
                Some(summary::merge_summaries(&templates, &of_all(), arithmetic))
            }
            name => keep_if_same(parts, name, value, notes),
        };
        body.extend(merged.map(|merged| (key.clone(), merged)));
    }
    Json::Map(body)
}

/// Keeps a member that LeRobot does not write itself where all pieces agree, and notes it where they differ.
fn keep_if_same(
    parts: &[EvalDocument<'_>],
    name: &str,
    value: &Json,
    notes: &mut Vec<String>,
) -> Option<Json> {
    if parts.iter().all(|part| part.body.get(name) == Some(value)) {
        return Some(value.clone());
    }
    notes.push(format!("`{name}` differs between the pieces and was left out"));
    None
}
