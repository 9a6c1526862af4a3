//! The values of packs, each on a row of its own: how its pack ended, and what the files say of the value itself.

use std::collections::BTreeMap;

use serde::Serialize;

use super::merge::json::{Json, plain};
use super::merge::piece::{Piece, Work};
use super::merge::sheet::{self, Row, RowFormat};
use super::outcome::ShardOutcome;
use crate::model::ids::ShardId;
use crate::model::outcome::{FailureReason, Progress};
use crate::model::phase::PhaseKind;
use crate::model::plan::Pack;
use crate::model::value::Variables;
use crate::model::value_log::{ValueLog, ValueLogEnd, ValueLogSpec, ValueShortfall};

/// Columns in which programs say that something went wrong.
const STATUS: [&str; 3] = ["status", "outcome", "state"];

/// Words there that say so.
const BAD_WORDS: [&str; 5] = ["error", "failed", "failure", "crashed", "diverged"];

/// A file of a pack's attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackFile {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// How one value of a pack ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueEnd {
    /// Its pack succeeded, and nothing speaks against the value.
    Succeeded,
    /// A file says that it went wrong, or its pack did and no file tells values apart.
    Failed,
    /// The files or the log tell values apart, and say nothing of this one, or not that it is complete.
    Missing,
    /// There are results of it, and its pack failed for more than lacking others.
    Unfinished,
    /// Its pack has not ended.
    Open,
}

/// One value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PackValue {
    /// The packed axis.
    pub axis: String,
    /// The value, as it is printed.
    pub value: String,
    /// The other values of the combo.
    pub vars: Variables,
    /// The shard it was in.
    pub shard: ShardId,
    /// How it ended.
    pub end: ValueEnd,
    /// How much of it was done, where the log tells.
    pub progress: Option<Progress>,
    /// Rows of it in the files; none where no file tells values apart.
    pub rows: Option<u64>,
    /// The means of the numbers in its rows, and the newest of the log.
    pub metrics: BTreeMap<String, f64>,
}

/// What a pack has left behind: its files, and what its log told of single values.
#[derive(Debug, Default)]
pub struct Traces {
    /// The files of its newest ended attempt.
    pub files: Vec<PackFile>,
    /// What the log of its newest attempt told.
    pub log: BTreeMap<String, ValueLog>,
}

/// What files and log say of one value.
struct Told<'t> {
    /// Its rows, where the files tell values apart.
    rows: Option<Vec<&'t Record>>,
    log: Option<&'t ValueLog>,
    standing: Standing,
}

/// One row of a file, by names.
type Record = Vec<(String, Json)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Neither files nor log tell values apart.
    Untold,
    Complete,
    Missing,
    Failed,
}

/// Every value of a pack, once, in the order of the sweep.
pub fn of_pack(
    outcome: &ShardOutcome<'_>,
    pack: &Pack,
    spec: &ValueLogSpec,
    traces: &Traces,
) -> Vec<PackValue> {
    let records = records(pack, outcome.id(), &traces.files);
    let told = told(pack, spec, &records, &traces.log);
    let short = short(pack, &told).map(|short| short.to_string());
    // A pack that lacks nothing but some of its values has done the others.
    let is_done =
        outcome.phase == PhaseKind::Succeeded || (short.is_some() && short.as_deref() == outcome.message);
    let value = |(value, told): (String, Told<'_>)| PackValue {
        axis: pack.axis.clone(),
        vars: outcome.spec.vars.clone(),
        shard: outcome.id().clone(),
        end: end(outcome, is_done, &told),
        progress: told.log.and_then(|log| log.progress),
        rows: told.rows.as_ref().map(|rows| rows.len() as u64),
        metrics: metrics(&told, &pack.axis),
        value,
    };
    told.into_iter().map(value).collect()
}

/// The values that have no result, where files or log tell values apart; nothing where each has one.
pub fn shortfall(
    pack: &Pack,
    shard: &ShardId,
    spec: &ValueLogSpec,
    traces: &Traces,
) -> Option<ValueShortfall> {
    let records = records(pack, shard, &traces.files);
    short(pack, &told(pack, spec, &records, &traces.log))
}

fn short(pack: &Pack, told: &[(String, Told<'_>)]) -> Option<ValueShortfall> {
    let with = |standing: Standing| -> Vec<String> {
        told.iter().filter(|(_, told)| told.standing == standing).map(|(value, _)| value.clone()).collect()
    };
    let (missing, failed) = (with(Standing::Missing), with(Standing::Failed));
    let is_short = !(missing.is_empty() && failed.is_empty());
    is_short.then(|| ValueShortfall { axis: pack.axis.clone(), values: pack.values.len(), missing, failed })
}

fn records(pack: &Pack, shard: &ShardId, files: &[PackFile]) -> Vec<Record> {
    files.iter().flat_map(|file| records_of(file, pack, shard)).collect()
}

fn told<'t>(
    pack: &Pack,
    spec: &ValueLogSpec,
    records: &'t [Record],
    log: &'t BTreeMap<String, ValueLog>,
) -> Vec<(String, Told<'t>)> {
    let names: Vec<String> = pack.values.iter().map(ToString::to_string).collect();
    let rows_of = |name: &str| -> Vec<&Record> {
        records.iter().filter(|row| cell(row, &pack.axis).is_some_and(|cell| cell.shown() == name)).collect()
    };
    let in_files = names.iter().any(|name| !rows_of(name).is_empty());
    let told = |name: String| {
        let (rows, log) = (in_files.then(|| rows_of(&name)), log.get(&name));
        let standing = standing(rows.as_deref(), spec, log);
        (name, Told { rows, log, standing })
    };
    names.into_iter().map(told).collect()
}

fn standing(rows: Option<&[&Record]>, spec: &ValueLogSpec, log: Option<&ValueLog>) -> Standing {
    let failed_in_log = log.is_some_and(|log| matches!(log.end, Some(ValueLogEnd::Failed { .. })));
    let failed_in_files = rows.is_some_and(|rows| rows.iter().any(|row| went_wrong(row)));
    let absent_in_log = spec.expects_each() && !log.is_some_and(|log| spec.is_complete(log));
    match rows {
        _ if failed_in_log || failed_in_files => Standing::Failed,
        Some([]) => Standing::Missing,
        _ if absent_in_log => Standing::Missing,
        None if !spec.expects_each() => Standing::Untold,
        Some(_) | None => Standing::Complete,
    }
}

/// The numbers of its rows, and those of the log that no row has.
fn metrics(told: &Told<'_>, axis: &str) -> BTreeMap<String, f64> {
    let mut metrics = means(told.rows.as_deref().unwrap_or_default(), axis);
    for (name, value) in told.log.into_iter().flat_map(|log| &log.metrics) {
        metrics.entry(name.clone()).or_insert(*value);
    }
    metrics
}

fn end(outcome: &ShardOutcome<'_>, is_done: bool, told: &Told<'_>) -> ValueEnd {
    if !outcome.phase.is_final() {
        return ValueEnd::Open;
    }
    // The log's word on one value outlives what became of the others, unless it is worth nothing.
    let said = told.log.is_some_and(|log| log.end == Some(ValueLogEnd::Finished));
    let is_sound = outcome.reason != Some(FailureReason::Invalid);
    match told.standing {
        Standing::Failed => ValueEnd::Failed,
        Standing::Missing => ValueEnd::Missing,
        Standing::Complete if is_done || (said && is_sound) => ValueEnd::Succeeded,
        Standing::Complete => ValueEnd::Unfinished,
        Standing::Untold if is_done => ValueEnd::Succeeded,
        Standing::Untold => ValueEnd::Failed,
    }
}

impl ValueEnd {
    /// All of them, what went well last.
    pub const ALL: [Self; 5] = [Self::Failed, Self::Missing, Self::Unfinished, Self::Open, Self::Succeeded];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Missing => "missing",
            Self::Unfinished => "unfinished",
            Self::Open => "open",
        }
    }
}

fn cell<'a>(record: &'a [(String, Json)], name: &str) -> Option<&'a Json> {
    record.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

fn went_wrong(record: &[(String, Json)]) -> bool {
    let word = |name: &str| {
        cell(record, name).is_some_and(|value| BAD_WORDS.contains(&value.shown().to_lowercase().as_str()))
    };
    let error = cell(record, "error")
        .is_some_and(|value| !["", "null", "false", "0"].contains(&value.shown().as_str()));
    error || STATUS.iter().any(|name| word(name))
}

/// Of each number in the rows; what is no number in some of them is left out.
fn means(own: &[&Record], axis: &str) -> BTreeMap<String, f64> {
    let mut sums: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
    for (name, value) in own.iter().flat_map(|record| record.iter()).filter(|(name, _)| name != axis) {
        if let Some(number) = value.number() {
            let (sum, count) = sums.entry(name).or_default();
            *sum += number;
            *count += 1;
        }
    }
    let whole = sums.into_iter().filter(|(_, (sum, count))| *count == own.len() && sum.is_finite());
    whole.map(|(name, (sum, count))| (name.to_owned(), sum / count as f64)).collect()
}

/// The rows of a file that say which value they are of.
fn records_of(file: &PackFile, pack: &Pack, shard: &ShardId) -> Vec<Record> {
    let piece = Piece { shard: shard.clone(), work: Work::Whole, bytes: file.bytes.clone() };
    let rows = |format| {
        let sheet = sheet::read(&piece, format);
        sheet.map(|sheet| sheet.rows.iter().map(Row::values).collect()).unwrap_or_default()
    };
    match file.name.rsplit_once('.').map(|(_, end)| end) {
        Some("jsonl") => rows(RowFormat::Jsonl),
        Some("csv") => rows(RowFormat::Csv),
        Some("json") => Json::parse(&super::merge::piece::text_of(&file.bytes))
            .map(|document| of_document(&document, pack))
            .unwrap_or_default(),
        Some(_) | None => Vec::new(),
    }
}

/// A list of maps that name the value, or a map from values to maps; on top or one level below.
fn of_document(document: &Json, pack: &Pack) -> Vec<Record> {
    let below = document.members().unwrap_or_default().iter().map(|(_, member)| member);
    for place in std::iter::once(document).chain(below) {
        let listed: Vec<_> =
            place.items().unwrap_or_default().iter().filter(|item| item.get(&pack.axis).is_some()).collect();
        if !listed.is_empty() {
            return listed.into_iter().map(named).collect();
        }
        let known = |(key, member): &&(String, Json)| {
            member.members().is_some() && pack.values.iter().any(|value| value.to_string() == plain(key))
        };
        let keyed: Vec<_> = place.members().unwrap_or_default().iter().filter(known).collect();
        if !keyed.is_empty() {
            let with_value = |(key, member): &(String, Json)| {
                let mut record = named(member);
                record.retain(|(name, _)| *name != pack.axis);
                record.push((pack.axis.clone(), Json::Text(key.clone())));
                record
            };
            return keyed.into_iter().map(with_value).collect();
        }
    }
    Vec::new()
}

fn named(record: &Json) -> Record {
    let members = record.members().unwrap_or_default().iter();
    members.map(|(key, value)| (plain(key).to_owned(), value.clone())).collect()
}

#[cfg(test)]
mod tests;
