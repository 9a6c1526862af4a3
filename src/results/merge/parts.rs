//! The files that the attempts of one shard wrote, each continuing the one before, as one file with no episode twice.

use std::collections::BTreeSet;

use super::by_rule;
use super::episode_numbers::NUMBERS;
use super::json::Json;
use super::lerobot::eval_info;
use super::piece::{Piece, PieceFault, PieceRefusal, PieceWork, text_of};
use super::sheet::{self, RowFormat, Sheet, SheetRow};
use crate::model::ids::ShardId;
use crate::model::results::results_spec::{Merge, ResultsSpec};

/// Columns that distinguish episodes of one number.
const OTHERS: [&str; 9] =
    ["task", "task_id", "task_name", "task_group", "suite", "env", "env_id", "policy", "split"];

/// The parts of one shard, oldest first, as one file.
pub fn join_parts(
    spec: &ResultsSpec,
    shard: &ShardId,
    work: &PieceWork,
    parts: Vec<Vec<u8>>,
) -> Result<Vec<u8>, PieceRefusal> {
    match spec.merge {
        Merge::Jsonl => join_rows(RowFormat::Jsonl, shard, work, parts),
        Merge::Csv => join_rows(RowFormat::Csv, shard, work, parts),
        Merge::Lerobot | Merge::Json => join_documents(spec, shard, parts),
        Merge::None => Ok(parts.into_iter().next_back().unwrap_or_default()),
    }
}

/// Rows of all parts. Of an episode that several parts hold the newest one counts: it was done again.
pub fn join_rows(
    format: RowFormat,
    shard: &ShardId,
    work: &PieceWork,
    parts: Vec<Vec<u8>>,
) -> Result<Vec<u8>, PieceRefusal> {
    let newest = parts.len().saturating_sub(1);
    let piece = |(place, bytes): (usize, Vec<u8>)| {
        let bytes = if place < newest { without_torn_row(format, bytes) } else { bytes };
        Piece { shard: shard.clone(), work: PieceWork::Whole, file: String::new(), bytes }
    };
    let mut pieces: Vec<Piece> = parts.into_iter().enumerate().map(piece).collect();
    // An attempt may end before its first row.
    pieces.retain(|piece| !piece.bytes.trim_ascii().is_empty());
    if pieces.len() < 2 {
        return Ok(pieces.pop().map(|piece| piece.bytes).unwrap_or_default());
    }
    let mut sheets = Vec::new();
    for piece in &pieces {
        sheets.push(sheet::read_sheet(piece, format)?);
    }
    let header = sheets.last().map(|sheet| sheet.header.clone()).unwrap_or_default();
    if sheets.iter().any(|sheet| sheet.header.trim_end() != header.trim_end()) {
        let why = "its attempts wrote tables with different columns, which make no single table";
        return Err(PieceRefusal::new(shard, PieceFault::Different, why));
    }
    let asked = work.episode_ids().map(<[u64]>::len);
    let is_numbered =
        |name: &&&str| sheets.iter().flat_map(|sheet| &sheet.rows).all(|row| row.integer_at(name).is_some());
    match NUMBERS.iter().find(is_numbered).copied() {
        Some(name) => keep_newest(&mut sheets, name, asked),
        // Without numbers a part that is as long as the whole holds the earlier ones.
        None if sheets.last().is_some_and(|sheet| asked.is_some_and(|asked| sheet.rows.len() >= asked)) => {
            sheets.drain(..sheets.len() - 1);
        }
        None => {}
    }
    Ok(write(header, sheets))
}

fn write(header: String, sheets: Vec<Sheet<'_>>) -> Vec<u8> {
    let mut text = header;
    for row in sheets.into_iter().flat_map(|sheet| sheet.rows) {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&row.text);
    }
    text.into_bytes()
}

/// Leaves each episode in the newest part that has it. Parts that number what they did from the start again are
/// numbered on: together they are no more than the whole, and their numbers do not distinguish them.
fn keep_newest(sheets: &mut [Sheet<'_>], name: &str, asked: Option<usize>) {
    let numbers = |sheet: &Sheet<'_>| -> BTreeSet<i64> {
        sheet.rows.iter().filter_map(|row| row.integer_at(name)).collect()
    };
    let of_parts: Vec<BTreeSet<i64>> = sheets.iter().map(numbers).collect();
    let union = of_parts.iter().flatten().collect::<BTreeSet<_>>().len();
    let sum: usize = of_parts.iter().map(BTreeSet::len).sum();
    let starts: BTreeSet<_> = of_parts.iter().filter_map(|numbers| numbers.first()).collect();
    if asked.is_some_and(|asked| sum <= asked) && union < sum && starts.len() == 1 {
        let mut offset = 0;
        for (sheet, numbers) in sheets.iter_mut().zip(&of_parts) {
            for row in &mut sheet.rows {
                if let Some(number) = row.integer_at(name) {
                    row.set_integer(name, number + offset);
                }
            }
            offset += i64::try_from(numbers.len()).unwrap_or(i64::MAX);
        }
        return;
    }
    let mut seen: BTreeSet<(Option<i64>, Vec<String>)> = BTreeSet::new();
    for sheet in sheets.iter_mut().rev() {
        // An episode may have several rows in one part.
        let own: BTreeSet<_> = sheet.rows.iter().map(|row| episode_key(row, name)).collect();
        sheet.rows.retain(|row| !seen.contains(&episode_key(row, name)));
        seen.extend(own);
    }
}

fn episode_key(row: &SheetRow, name: &str) -> (Option<i64>, Vec<String>) {
    let values = row.column_values();
    let other = |column: &&str| {
        let value = values.iter().find(|(name, _)| name == column);
        value.map(|(_, value)| value.display_text()).unwrap_or_default()
    };
    (row.integer_at(name), OTHERS.iter().map(other).collect())
}

/// An attempt that was ended may have left half of a row; the next one did that episode again.
fn without_torn_row(format: RowFormat, bytes: Vec<u8>) -> Vec<u8> {
    let text = text_of(&bytes);
    let last = text.rsplit('\n').next().unwrap_or_default();
    let columns = |line: &str| {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
        reader.records().next().and_then(Result::ok).map_or(0, |record| record.len())
    };
    let is_torn = !last.is_empty()
        && match format {
            RowFormat::Jsonl => Json::parse(last.trim()).is_err(),
            RowFormat::Csv => columns(last) < columns(text.lines().next().unwrap_or_default()),
        };
    if is_torn { text.as_bytes()[..text.len() - last.len()].to_vec() } else { bytes }
}

/// Documents of all parts. One that lists what the earlier ones list holds them.
fn join_documents(spec: &ResultsSpec, shard: &ShardId, parts: Vec<Vec<u8>>) -> Result<Vec<u8>, PieceRefusal> {
    let mut parts = parts;
    let Some(newest) = parts.pop() else { return Ok(Vec::new()) };
    let Ok(document) = Json::parse(&text_of(&newest)) else { return Ok(newest) };
    let is_needed = |bytes: &Vec<u8>| {
        Json::parse(&text_of(bytes)).is_ok_and(|earlier| !is_continuation(&document, &earlier))
    };
    parts.retain(is_needed);
    if parts.is_empty() {
        return Ok(newest);
    }
    let piece = |bytes| Piece { shard: shard.clone(), work: PieceWork::Whole, file: String::new(), bytes };
    let pieces: Vec<Piece> = parts.into_iter().chain([newest]).map(piece).collect();
    let made = match spec.merge {
        Merge::Lerobot => eval_info::merge_eval_info(&pieces),
        Merge::Json | Merge::Jsonl | Merge::Csv | Merge::None => by_rule::merge_by_rule(&pieces, &spec.rules),
    };
    let first = |refusals: Vec<PieceRefusal>| {
        let why = refusals.into_iter().next().map(|refusal| refusal.why).unwrap_or_default();
        PieceRefusal::new(
            shard,
            PieceFault::Different,
            format!("the files of its attempts make no single file: {why}"),
        )
    };
    made.map(|made| made.text.into_bytes()).map_err(first)
}

/// Every list of `earlier` is where that of `newest` begins, and there is one.
fn is_continuation(newest: &Json, earlier: &Json) -> bool {
    let mut lists = 0;
    begins_with(newest, earlier, &mut lists) && lists > 0
}

fn begins_with(newest: &Json, earlier: &Json, lists: &mut usize) -> bool {
    if let Some(items) = earlier.items() {
        *lists += usize::from(!items.is_empty());
        let same = newest.items().is_some_and(|all| all.starts_with(items));
        // Lists of tasks grow inside.
        let inside = || {
            let all = newest.items().unwrap_or_default();
            let has_lists = items.iter().any(|item| item.members().is_some());
            has_lists && all.len() >= items.len() && {
                let mut deeper = 0;
                let grown = items.iter().zip(all).all(|(item, all)| begins_with(all, item, &mut deeper));
                grown && deeper > 0
            }
        };
        return same || inside();
    }
    let members = earlier.members().unwrap_or_default().iter();
    members.into_iter().all(|(key, member)| {
        let key = super::json::strip_quotes(key);
        match newest.get(key) {
            Some(newest) => begins_with(newest, member, lists),
            None => member.items().is_none() && member.members().is_none(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard() -> ShardId {
        ShardId::new("s").unwrap()
    }

    fn rows(format: RowFormat, asked: u64, parts: &[&str]) -> String {
        let parts = parts.iter().map(|part| part.as_bytes().to_vec()).collect();
        let work = PieceWork::Episodes((0..asked).collect());
        String::from_utf8(join_rows(format, &shard(), &work, parts).unwrap()).unwrap()
    }

    #[test]
    fn an_episode_that_was_done_again_counts_once_and_a_torn_row_not_at_all() {
        let old = "{\"episode\": 0, \"r\": 1}\n{\"episode\": 1, \"r\": 1}\n{\"episode\": 2, \"r\"";
        let new = "{\"episode\": 1, \"r\": 2}\n{\"episode\": 2, \"r\": 2}\n";
        let all = "{\"episode\": 0, \"r\": 1}\n{\"episode\": 1, \"r\": 2}\n{\"episode\": 2, \"r\": 2}\n";
        assert_eq!(rows(RowFormat::Jsonl, 3, &[old, new]), all);
        // A program may carry everything over.
        assert_eq!(rows(RowFormat::Jsonl, 3, &[old, all]), all);
        assert_eq!(rows(RowFormat::Jsonl, 3, &["", all]), all);
        let table = rows(RowFormat::Csv, 3, &["episode,r\n0,1\n1,", "episode,r\n1,2\n2,2\n"]);
        assert_eq!(table, "episode,r\n0,1\n1,2\n2,2\n");
    }

    #[test]
    fn parts_that_number_from_the_start_again_are_numbered_on() {
        let part = "{\"episode\": 0}\n{\"episode\": 1}\n";
        let all = "{\"episode\": 0}\n{\"episode\": 1}\n{\"episode\": 2}\n{\"episode\": 3}\n";
        assert_eq!(rows(RowFormat::Jsonl, 4, &[part, part]), all);
        // Of a shard of three episodes one was done again.
        assert_eq!(rows(RowFormat::Jsonl, 3, &[part, part]), part);
    }

    #[test]
    fn rows_without_numbers_are_told_apart_by_how_many_there_are() {
        assert_eq!(rows(RowFormat::Csv, 3, &["r\n1\n", "r\n2\n3\n"]), "r\n1\n2\n3\n");
        assert_eq!(rows(RowFormat::Csv, 3, &["r\n1\n", "r\n1\n2\n3\n"]), "r\n1\n2\n3\n");
        let parts = vec![b"r\n1\n".to_vec(), b"q\n2\n".to_vec()];
        assert!(join_rows(RowFormat::Csv, &shard(), &PieceWork::Whole, parts).is_err());
    }

    #[test]
    fn a_document_that_lists_what_the_earlier_one_lists_holds_it() {
        let holds = |newest: &str, earlier: &str| {
            is_continuation(&Json::parse(newest).unwrap(), &Json::parse(earlier).unwrap())
        };
        assert!(holds(r#"{"rewards": [1, 2, 3]}"#, r#"{"rewards": [1, 2]}"#));
        assert!(!holds(r#"{"rewards": [3]}"#, r#"{"rewards": [1, 2]}"#));
        assert!(!holds(r#"{"n": 3}"#, r#"{"n": 2}"#));
        let tasks = r#"{"per_task": [{"task": "a", "successes": [true, false]}]}"#;
        assert!(holds(tasks, r#"{"per_task": [{"task": "a", "successes": [true]}]}"#));
    }
}
