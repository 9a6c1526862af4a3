//! Lines of JSON and tables: the rows of all pieces in the order of the serial run, as they were written.

use super::copies::{PieceContent, find_copies};
use super::episode_numbers::{self, NUMBERS, PieceEntries, SEEDS, repeated_seeds};
use super::json::Json;
use super::made::Made;
use super::piece::{Piece, PieceFault, PieceRefusal, collect_results};
use super::sheet::{self, RowFormat, Sheet, SheetRow};
use crate::model::ids::ShardId;
use crate::model::results::results_spec::RowMeaning;

/// Merges pieces that are in the order of the serial run.
pub fn merge_rows(pieces: &[Piece], format: RowFormat, rows: RowMeaning) -> Result<Made, Vec<PieceRefusal>> {
    let mut sheets = collect_results(pieces.iter().map(|piece| sheet::read_sheet(piece, format)))?;
    let headers = other_headers(&sheets);
    if !headers.is_empty() {
        return Err(headers);
    }
    let sliced = !sheets.is_empty() && sheets.iter().all(|sheet| sheet.piece.work.episode_ids().is_some());
    if rows == RowMeaning::Episodes {
        let twins = same_work(&sheets);
        if !twins.is_empty() {
            return Err(twins);
        }
    }
    let orders = match rows {
        RowMeaning::Episodes if sliced => by_episode(&mut sheets)?,
        RowMeaning::Episodes | RowMeaning::Any => {
            sheets.iter().map(|sheet| vec![(0, 0); sheet.rows.len()]).collect()
        }
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
fn other_headers(sheets: &[Sheet<'_>]) -> Vec<PieceRefusal> {
    let Some(first) = sheets.first() else { return Vec::new() };
    let header = |sheet: &Sheet<'_>| sheet.header.trim_end().to_owned();
    let others = sheets.iter().filter(|sheet| header(sheet) != header(first));
    let refuse = |sheet: &Sheet<'_>| {
        let why =
            format!("its header is `{}`, that of {} `{}`", header(sheet), first.piece.shard, header(first));
        PieceRefusal::new(&sheet.piece.shard, PieceFault::Different, why)
    };
    others.map(refuse).collect()
}

/// Returns where each row belongs: in which round of its piece, and in which episode. Rows are numbered as in the
/// serial run.
fn by_episode(sheets: &mut [Sheet<'_>]) -> Result<Vec<Vec<(u64, u64)>>, Vec<PieceRefusal>> {
    let numbered =
        |name: &&&str| sheets.iter().flat_map(|sheet| &sheet.rows).all(|row| row.integer_at(name).is_some());
    match NUMBERS.iter().find(numbered) {
        Some(name) => by_number(sheets, name),
        None => by_place(sheets),
    }
}

fn episode_ids<'a>(sheet: &Sheet<'a>) -> &'a [u64] {
    sheet.piece.work.episode_ids().unwrap_or_default()
}

/// Without numbers each row is one episode.
fn by_place(sheets: &[Sheet<'_>]) -> Result<Vec<Vec<(u64, u64)>>, Vec<PieceRefusal>> {
    collect_results(sheets.iter().map(|sheet| {
        let (found, wanted) = (sheet.rows.len(), episode_ids(sheet).len());
        if found == wanted {
            return Ok(episode_ids(sheet).iter().map(|id| (0, *id)).collect());
        }
        let fault = if found < wanted { PieceFault::Incomplete } else { PieceFault::Different };
        let why = format!(
            "it has {found} rows for {wanted} episodes, and no column with their numbers; where rows are no episodes, \
             set `rows = \"any\"` in `[results]`"
        );
        Err(PieceRefusal::new(&sheet.piece.shard, fault, why))
    }))
}

fn by_number(sheets: &mut [Sheet<'_>], name: &str) -> Result<Vec<Vec<(u64, u64)>>, Vec<PieceRefusal>> {
    let entries: Vec<PieceEntries<'_>> = sheets
        .iter()
        .map(|sheet| PieceEntries {
            shard: &sheet.piece.shard,
            ids: episode_ids(sheet),
            numbers: sheet.rows.iter().filter_map(|row| row.integer_at(name)).collect(),
        })
        .collect();
    let numbering = episode_numbers::check_episode_numbers(&entries)?;
    let orders: Vec<Vec<(u64, u64)>> =
        entries.iter().map(|entries| entries.entry_orders(numbering)).collect();
    for (sheet, orders) in sheets.iter_mut().zip(&orders) {
        for (row, (_, episode)) in sheet.rows.iter_mut().zip(orders) {
            row.set_integer(name, numbering.serial_number(*episode));
        }
    }
    Ok(orders)
}

/// Two pieces with the same seeds, or with the same figures to the last digit, have done the same work.
fn same_work(sheets: &[Sheet<'_>]) -> Vec<PieceRefusal> {
    let seeds = |name: &&str| -> Option<Vec<(&ShardId, Vec<i64>)>> {
        let of = |sheet: &Sheet<'_>| {
            sheet.rows.iter().map(|row| row.integer_at(name)).collect::<Option<Vec<i64>>>()
        };
        sheets.iter().map(|sheet| Some((&sheet.piece.shard, of(sheet)?))).collect()
    };
    let twins = SEEDS.iter().find_map(seeds).map(|seeds| repeated_seeds(&seeds)).unwrap_or_default();
    if !twins.is_empty() {
        return twins;
    }
    let rows: Vec<Vec<Json>> =
        sheets.iter().map(|sheet| sheet.rows.iter().map(SheetRow::to_json).collect()).collect();
    let contents: Vec<PieceContent<'_>> = sheets
        .iter()
        .zip(&rows)
        .map(|(sheet, rows)| PieceContent::from_elements(sheet.piece, rows))
        .collect();
    find_copies("", &contents)
}
