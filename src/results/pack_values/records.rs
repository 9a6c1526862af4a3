//! The rows of a pack's files that name the value they are of.

use super::PackFile;
use super::names::Names;
use crate::model::ids::ShardId;
use crate::results::merge::json::{Json, strip_quotes};
use crate::results::merge::piece::{Piece, PieceWork, text_of};
use crate::results::merge::sheet::{self, RowFormat, SheetRow};

/// A row of a file: its cells by column or key.
pub(super) type Record = Vec<(String, Json)>;

/// The rows of a file that name the value they are of.
pub(super) fn of_file(file: &PackFile, axes: &[String], names: &Names, shard: &ShardId) -> Vec<Record> {
    let piece = Piece {
        shard: shard.clone(),
        work: PieceWork::Whole,
        file: file.name.clone(),
        bytes: file.bytes.clone(),
    };
    let rows = |format| {
        let sheet = sheet::read_sheet(&piece, format);
        sheet.map(|sheet| sheet.rows.iter().map(SheetRow::column_values).collect()).unwrap_or_default()
    };
    match file.name.rsplit_once('.').map(|(_, end)| end) {
        Some("jsonl") => rows(RowFormat::Jsonl),
        Some("csv") => rows(RowFormat::Csv),
        Some("json") => Json::parse(&text_of(&file.bytes))
            .map(|document| of_document(&document, axes, names))
            .unwrap_or_default(),
        Some(_) | None => Vec::new(),
    }
}

/// A list of maps that name the value, or a map from values of the one axis to maps; on top or one level below.
fn of_document(document: &Json, axes: &[String], names: &Names) -> Vec<Record> {
    let below = document.members().unwrap_or_default().iter().map(|(_, member)| member);
    for place in std::iter::once(document).chain(below) {
        let names_each = |item: &&Json| axes.iter().all(|axis| item.get(axis).is_some());
        let listed: Vec<_> = place.items().unwrap_or_default().iter().filter(names_each).collect();
        if !listed.is_empty() {
            return listed.into_iter().map(record_from_json).collect();
        }
        let [axis] = axes else { continue };
        let known = |(key, member): &&(String, Json)| {
            member.members().is_some() && !names.places_of(&[&Json::Text(key.clone())]).is_empty()
        };
        let keyed: Vec<_> = place.members().unwrap_or_default().iter().filter(known).collect();
        if !keyed.is_empty() {
            let with_value = |(key, member): &(String, Json)| {
                let mut record = record_from_json(member);
                record.retain(|(name, _)| name != axis);
                record.push((axis.clone(), Json::Text(key.clone())));
                record
            };
            return keyed.into_iter().map(with_value).collect();
        }
    }
    Vec::new()
}

fn record_from_json(record: &Json) -> Record {
    let members = record.members().unwrap_or_default().iter();
    members.map(|(key, value)| (strip_quotes(key).to_owned(), value.clone())).collect()
}
