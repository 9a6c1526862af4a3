//! Lines of JSON and tables: the rows of all pieces in the order of the serial run, as they were written.

use std::collections::{BTreeMap, BTreeSet};

use super::made::Made;
use super::piece::{Fault, Numbered, Numbering, Piece, Refusal, all, listed, numbering, shared};
use super::sheet::{self, Row, RowFormat, Sheet};
use crate::model::ids::ShardId;
use crate::model::results_spec::Rows;

/// The names that the number of an episode goes by.
const NUMBERS: [&str; 5] = ["episode", "episode_index", "episode_ix", "episode_id", "ep"];

/// Merges pieces that are in the order of the serial run.
pub fn merge(pieces: &[Piece], format: RowFormat, rows: Rows) -> Result<Made, Vec<Refusal>> {
    let mut sheets = all(pieces.iter().map(|piece| sheet::read(piece, format)))?;
    let headers = other_headers(&sheets);
    if !headers.is_empty() {
        return Err(headers);
    }
    let sliced = !sheets.is_empty() && sheets.iter().all(|sheet| sheet.piece.work.episodes().is_some());
    let orders = match rows {
        Rows::Episodes if sliced => by_episode(&mut sheets)?,
        Rows::Episodes | Rows::Any => sheets.iter().map(|sheet| vec![(0, 0); sheet.rows.len()]).collect(),
    };
    let header = sheets.first().map(|sheet| sheet.header.clone()).unwrap_or_default();
    let ends_with_newline =
        sheets.iter().all(|sheet| last_text(sheet).is_none_or(|text| text.ends_with('\n')));
    let mut ordered: Vec<((u64, u64), String)> = Vec::new();
    for (sheet, orders) in sheets.into_iter().zip(orders) {
        ordered.extend(orders.into_iter().zip(sheet.rows.into_iter().map(|row| row.text)));
    }
    // Stable, so that rows of one episode stay together in their order.
    ordered.sort_by_key(|(order, _)| *order);
    let mut text = header;
    for (_, row) in ordered {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&row);
    }
    if ends_with_newline && !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(Made { text, notes: Vec::new() })
}

fn last_text<'a>(sheet: &'a Sheet<'_>) -> Option<&'a str> {
    sheet.rows.last().map(|row| row.text.as_str())
}

/// Tables have the same columns in the same order.
fn other_headers(sheets: &[Sheet<'_>]) -> Vec<Refusal> {
    let Some(first) = sheets.first() else { return Vec::new() };
    let header = |sheet: &Sheet<'_>| sheet.header.trim_end().to_owned();
    let others = sheets.iter().filter(|sheet| header(sheet) != header(first));
    let refuse = |sheet: &Sheet<'_>| {
        let why =
            format!("its header is `{}`, that of {} `{}`", header(sheet), first.piece.shard, header(first));
        Refusal::new(&sheet.piece.shard, Fault::Different, why)
    };
    others.map(refuse).collect()
}

/// Where each row belongs: in which round of its piece, and in which episode. Rows are numbered as in the serial run.
fn by_episode(sheets: &mut [Sheet<'_>]) -> Result<Vec<Vec<(u64, u64)>>, Vec<Refusal>> {
    let twins = same_seeds(sheets);
    if !twins.is_empty() {
        return Err(twins);
    }
    let numbered =
        |name: &&&str| sheets.iter().flat_map(|sheet| &sheet.rows).all(|row| row.integer(name).is_some());
    match NUMBERS.iter().find(numbered) {
        Some(name) => by_number(sheets, name),
        None => by_place(sheets),
    }
}

fn ids<'a>(sheet: &Sheet<'a>) -> &'a [u64] {
    sheet.piece.work.episodes().unwrap_or_default()
}

/// Without numbers each row is one episode.
fn by_place(sheets: &[Sheet<'_>]) -> Result<Vec<Vec<(u64, u64)>>, Vec<Refusal>> {
    all(sheets.iter().map(|sheet| {
        let (found, wanted) = (sheet.rows.len(), ids(sheet).len());
        if found == wanted {
            return Ok(ids(sheet).iter().map(|id| (0, *id)).collect());
        }
        let fault = if found < wanted { Fault::Incomplete } else { Fault::Different };
        let why = format!(
            "it has {found} rows for {wanted} episodes, and no column with their numbers; where rows are no episodes, \
             set `rows = \"any\"` in `[results]`"
        );
        Err(Refusal::new(&sheet.piece.shard, fault, why))
    }))
}

fn by_number(sheets: &mut [Sheet<'_>], name: &str) -> Result<Vec<Vec<(u64, u64)>>, Vec<Refusal>> {
    let found: Vec<Numbered<'_>> = sheets
        .iter()
        .map(|sheet| Numbered {
            shard: &sheet.piece.shard,
            ids: ids(sheet),
            found: sheet.rows.iter().filter_map(|row| row.integer(name)).collect(),
        })
        .collect();
    let numbering = numbering(&found)?;
    let twice: Vec<Refusal> = sheets.iter().filter_map(|sheet| twice(sheet, name)).collect();
    if !twice.is_empty() {
        return Err(twice);
    }
    Ok(sheets.iter_mut().map(|sheet| numbered_anew(sheet, name, numbering)).collect())
}

/// Most episodes stand there once, and some again: a program went on after an interruption, and wrote them anew.
fn twice(sheet: &Sheet<'_>, name: &str) -> Option<Refusal> {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for number in sheet.rows.iter().filter_map(|row| row.integer(name)) {
        *counts.entry(number).or_default() += 1;
    }
    let again: Vec<i64> = counts.iter().filter(|(_, count)| **count > 1).map(|(number, _)| *number).collect();
    if again.is_empty() || again.len() == counts.len() {
        return None;
    }
    let why = format!("it has {} more than once", listed("episode", &again));
    Some(Refusal::new(&sheet.piece.shard, Fault::Duplicate, why))
}

/// A round ends where the numbers go down: programs with several tasks count each from the start.
fn numbered_anew(sheet: &mut Sheet<'_>, name: &str, numbering: Numbering) -> Vec<(u64, u64)> {
    let ids = ids(sheet);
    let (mut round, mut last) = (0, None);
    let mut orders = Vec::new();
    for row in &mut sheet.rows {
        let found = row.integer(name);
        let episode = found.and_then(|found| numbering.episode(ids, found)).unwrap_or_default();
        row.set(name, numbering.written(episode));
        round += u64::from(last > Some(episode));
        last = Some(episode);
        orders.push((round, episode));
    }
    orders
}

/// Where every row has a seed of its own, two pieces with the same seed have done the same work.
fn same_seeds(sheets: &[Sheet<'_>]) -> Vec<Refusal> {
    let seeds = |sheet: &Sheet<'_>| -> Option<BTreeSet<i64>> {
        let seeds: Option<BTreeSet<i64>> = sheet.rows.iter().map(|row: &Row| row.integer("seed")).collect();
        seeds.filter(|seeds| seeds.len() == sheet.rows.len())
    };
    let of_sheets: Option<Vec<BTreeSet<i64>>> = sheets.iter().map(seeds).collect();
    // With one row in each piece nothing says that seeds belong to episodes.
    let Some(of_sheets) = of_sheets.filter(|all| all.iter().any(|seeds| seeds.len() > 1)) else {
        return Vec::new();
    };
    let named = sheets.iter().zip(&of_sheets);
    let things =
        named.flat_map(|(sheet, seeds)| seeds.iter().map(|seed| (seed.to_string(), &sheet.piece.shard)));
    let mut refused: BTreeMap<&ShardId, Refusal> = BTreeMap::new();
    for (seed, shards) in shared(things) {
        let [first, others @ ..] = shards.as_slice() else { continue };
        for other in others {
            let why = format!("it has episodes of {first}: the seed {seed} is in both");
            refused.entry(other).or_insert_with(|| Refusal::new(other, Fault::Overlapping, why));
        }
    }
    refused.into_values().collect()
}
