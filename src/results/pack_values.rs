//! The values of packs, each on a row of its own: how its pack ended, and the files' evidence on the value
//! itself.

use std::collections::BTreeMap;

use serde::Serialize;

use names::Names;
use records::Record;

use super::merge::json::Json;
use super::outcome::ShardOutcome;
use crate::model::ids::ShardId;
use crate::model::logs::value_log::{MOST_VALUES, ValueLog, ValueLogEnd, ValueLogSpec, ValueShortfall};
use crate::model::outcome::{FailureReason, Progress};
use crate::model::state::phase::PhaseKind;
use crate::model::sweep::plan::{Pack, PackedValue};
use crate::model::value::Variables;

/// Columns in which programs report that something went wrong.
const STATUS: [&str; 3] = ["status", "outcome", "state"];

/// Words in those columns that mean a failure.
const BAD_WORDS: [&str; 5] = ["error", "failed", "failure", "crashed", "diverged"];

/// A file of a pack's attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackFile {
    /// Name of the file.
    pub name: String,
    /// Content of the file.
    pub bytes: Vec<u8>,
}

impl PackFile {
    /// A file of this name may hold rows.
    pub fn is_table(name: &str) -> bool {
        matches!(name.rsplit_once('.'), Some((_, "jsonl" | "csv" | "json")))
    }
}

/// How one value of a pack ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum ValueEnd {
    /// Its pack succeeded, and nothing contradicts the value.
    Succeeded,
    /// Failure of the value by a file, or its pack failed and no file distinguishes values.
    Failed,
    /// The files or the log distinguish values, and do not have this one, or not as complete.
    Missing,
    /// There are results of it, and its pack failed for more than lacking others.
    Unfinished,
    /// Its pack has not ended.
    Open,
}

/// A value of a packed axis and its result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PackValue {
    /// The packed axis, or all of them.
    pub axis: String,
    /// The value, as it is printed.
    pub value: String,
    /// The value of each packed axis.
    pub packed: Variables,
    /// The other values of the combo.
    pub vars: Variables,
    /// The shard it was in.
    pub shard: ShardId,
    /// How the value ended, as far as known.
    pub end: ValueEnd,
    /// How much of it was done, if the log prints it.
    pub progress: Option<Progress>,
    /// Rows of it in the files; `None` if no file distinguishes values.
    pub rows: Option<u64>,
    /// The means of the numbers in its rows, and the newest of the log.
    pub metrics: BTreeMap<String, f64>,
}

/// Traces that a pack has left behind: its files, and its log's lines on single values.
#[derive(Debug, Default)]
pub struct Traces {
    /// The files of its newest ended attempt.
    pub files: Vec<PackFile>,
    /// Reports on single values in the log of its newest attempt.
    pub log: BTreeMap<String, ValueLog>,
    /// Files of that attempt that were not read, or not known to be its own.
    pub has_unread: bool,
}

/// Evidence on one value in files and log.
struct ValueEvidence<'t> {
    /// Its rows, where the files distinguish values.
    rows: Option<Vec<&'t Record>>,
    log: Option<ValueLog>,
    standing: ValueStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueStatus {
    /// Neither files nor log distinguish values.
    Untold,
    Complete,
    Missing,
    /// Unknown: it was not found, and not everything was looked at.
    Unknown,
    Failed,
}

/// Every value of a pack, once, in the order of the sweep.
pub fn of_pack(
    outcome: &ShardOutcome<'_>,
    pack: &Pack,
    spec: &ValueLogSpec,
    traces: &Traces,
) -> Vec<PackValue> {
    let names = Names::from_pack(pack);
    let records = collect_records(pack, &names, outcome.id(), &traces.files);
    let told = collect_evidence(pack, &names, spec, &records, traces);
    let short = find_shortfall(pack, &told).map(|short| short.to_string());
    // A pack that lacks nothing but some of its values has done the others.
    let is_done =
        outcome.phase == PhaseKind::Succeeded || (short.is_some() && short.as_deref() == outcome.message);
    let value = |(value, told): (&PackedValue, ValueEvidence<'_>)| PackValue {
        axis: pack.axis_name(),
        packed: Variables(pack.axes.iter().cloned().zip(value.0.iter().cloned()).collect()),
        vars: outcome.spec.vars.clone(),
        shard: outcome.id().clone(),
        end: value_end(outcome, is_done, &told),
        progress: told.log.as_ref().and_then(|log| log.progress),
        rows: told.rows.as_ref().map(|rows| rows.len() as u64),
        metrics: value_metrics(&told, &pack.axes),
        value: value.to_string(),
    };
    told.into_iter().map(value).collect()
}

/// Returns the values that have no result, where files or log distinguish values; `None` if each has one.
pub fn value_shortfall(
    pack: &Pack,
    shard: &ShardId,
    spec: &ValueLogSpec,
    traces: &Traces,
) -> Option<ValueShortfall> {
    let names = Names::from_pack(pack);
    let records = collect_records(pack, &names, shard, &traces.files);
    find_shortfall(pack, &collect_evidence(pack, &names, spec, &records, traces))
}

fn find_shortfall(pack: &Pack, told: &[(&PackedValue, ValueEvidence<'_>)]) -> Option<ValueShortfall> {
    let with = |standing: ValueStatus| -> Vec<String> {
        let meant = told.iter().filter(|(_, told)| told.standing == standing);
        meant.map(|(value, _)| value.to_string()).collect()
    };
    let (missing, failed) = (with(ValueStatus::Missing), with(ValueStatus::Failed));
    let is_short = !(missing.is_empty() && failed.is_empty());
    is_short.then(|| ValueShortfall { axis: pack.axis_name(), values: pack.values.len(), missing, failed })
}

fn collect_records(pack: &Pack, names: &Names, shard: &ShardId, files: &[PackFile]) -> Vec<Record> {
    files.iter().flat_map(|file| records::of_file(file, &pack.axes, names, shard)).collect()
}

fn collect_evidence<'t, 'p>(
    pack: &'p Pack,
    names: &Names,
    spec: &ValueLogSpec,
    records: &'t [Record],
    traces: &Traces,
) -> Vec<(&'p PackedValue, ValueEvidence<'t>)> {
    let mut rows: Vec<Vec<&Record>> = vec![Vec::new(); pack.values.len()];
    for row in records {
        let cells = pack.axes.iter().map(|axis| find_cell(row, axis)).collect::<Option<Vec<_>>>();
        for place in cells.map(|cells| names.places_of(&cells)).unwrap_or_default() {
            rows[*place].push(row);
        }
    }
    let mut logs: Vec<Option<ValueLog>> = vec![None; pack.values.len()];
    for (name, log) in &traces.log {
        for place in names.find_places(name) {
            logs[*place].get_or_insert_default().merge_from(log);
        }
    }
    let in_files = rows.iter().any(|rows| !rows.is_empty());
    let told = |((value, rows), log): ((&'p PackedValue, Vec<&'t Record>), Option<ValueLog>)| {
        let rows = in_files.then_some(rows);
        let standing = match value_standing(rows.as_deref(), spec, log.as_ref()) {
            ValueStatus::Missing if may_be_unseen(rows.as_deref(), spec, log.as_ref(), traces) => {
                ValueStatus::Unknown
            }
            standing => standing,
        };
        // Rows that were not looked at were not counted.
        let rows = rows.filter(|_| standing != ValueStatus::Unknown);
        (value, ValueEvidence { rows, log, standing })
    };
    pack.values.iter().zip(rows).zip(logs).map(told).collect()
}

/// Reports whether what is missing may be in a file that was not read, unless the log itself shows that the
/// value is not complete.
fn may_be_unseen(
    rows: Option<&[&Record]>,
    spec: &ValueLogSpec,
    log: Option<&ValueLog>,
    traces: &Traces,
) -> bool {
    let is_told = spec.expects_each() && log.is_some_and(|log| !spec.is_complete(log));
    let lacks_row = rows.is_some_and(<[_]>::is_empty);
    // A log that has named as many values as it may has perhaps named others.
    let log_is_full = traces.log.len() >= MOST_VALUES;
    !is_told && (traces.has_unread || (log_is_full && !lacks_row))
}

fn value_standing(rows: Option<&[&Record]>, spec: &ValueLogSpec, log: Option<&ValueLog>) -> ValueStatus {
    let failed_in_log = log.is_some_and(|log| matches!(log.end, Some(ValueLogEnd::Failed { .. })));
    let failed_in_files = rows.is_some_and(|rows| rows.iter().any(|row| went_wrong(row)));
    let absent_in_log = spec.expects_each() && !log.is_some_and(|log| spec.is_complete(log));
    match rows {
        _ if failed_in_log || failed_in_files => ValueStatus::Failed,
        Some([]) => ValueStatus::Missing,
        _ if absent_in_log => ValueStatus::Missing,
        None if !spec.expects_each() => ValueStatus::Untold,
        Some(_) | None => ValueStatus::Complete,
    }
}

/// The numbers of its rows, and those of the log that no row has.
fn value_metrics(told: &ValueEvidence<'_>, axes: &[String]) -> BTreeMap<String, f64> {
    let mut metrics = average_rows(told.rows.as_deref().unwrap_or_default(), axes);
    for (name, value) in told.log.iter().flat_map(|log| &log.metrics) {
        metrics.entry(name.clone()).or_insert(*value);
    }
    metrics
}

fn value_end(outcome: &ShardOutcome<'_>, is_done: bool, told: &ValueEvidence<'_>) -> ValueEnd {
    if !outcome.phase.is_final() {
        return ValueEnd::Open;
    }
    // The log's word on one value outlives what became of the others, unless it is worth nothing.
    let said = told.log.as_ref().is_some_and(|log| log.end == Some(ValueLogEnd::Finished));
    let is_sound = outcome.reason != Some(FailureReason::Invalid);
    match told.standing {
        ValueStatus::Failed => ValueEnd::Failed,
        ValueStatus::Missing => ValueEnd::Missing,
        ValueStatus::Complete if is_done || (said && is_sound) => ValueEnd::Succeeded,
        ValueStatus::Complete => ValueEnd::Unfinished,
        ValueStatus::Unknown if is_done => ValueEnd::Succeeded,
        ValueStatus::Unknown => ValueEnd::Missing,
        ValueStatus::Untold if is_done => ValueEnd::Succeeded,
        ValueStatus::Untold => ValueEnd::Failed,
    }
}

impl ValueEnd {
    /// All of them, what went well last.
    pub const ALL: [Self; 5] = [Self::Failed, Self::Missing, Self::Unfinished, Self::Open, Self::Succeeded];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

fn find_cell<'a>(record: &'a [(String, Json)], name: &str) -> Option<&'a Json> {
    record.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

fn went_wrong(record: &[(String, Json)]) -> bool {
    let word = |name: &str| {
        find_cell(record, name)
            .is_some_and(|value| BAD_WORDS.contains(&value.display_text().to_lowercase().as_str()))
    };
    let error = find_cell(record, "error")
        .is_some_and(|value| !["", "null", "false", "0"].contains(&value.display_text().as_str()));
    error || STATUS.iter().any(|name| word(name))
}

/// Averages each number in the rows; what is no number in some of them is left out.
fn average_rows(own: &[&Record], axes: &[String]) -> BTreeMap<String, f64> {
    let mut sums: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
    for (name, value) in own.iter().flat_map(|record| record.iter()).filter(|(name, _)| !axes.contains(name))
    {
        if let Some(number) = value.as_number() {
            let (sum, count) = sums.entry(name).or_default();
            *sum += number;
            *count += 1;
        }
    }
    let whole = sums.into_iter().filter(|(_, (sum, count))| *count == own.len() && sum.is_finite());
    whole.map(|(name, (sum, count))| (name.to_owned(), sum / count as f64)).collect()
}

mod names;
mod records;
#[cfg(test)]
mod tests;
