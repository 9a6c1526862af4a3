//! The values of packs, each on a row of its own: how its pack ended, and what the files say of the value itself.

use std::collections::BTreeMap;

use serde::Serialize;

use super::merge::json::{Json, plain};
use super::merge::piece::{Piece, Work};
use super::merge::sheet::{self, Row, RowFormat};
use super::outcome::ShardOutcome;
use crate::model::ids::ShardId;
use crate::model::phase::PhaseKind;
use crate::model::plan::Pack;
use crate::model::value::Variables;

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
    /// The files tell values apart and have nothing of this one.
    Missing,
    /// There are results of it, and its pack did not succeed.
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
    /// Rows of it in the files; none where no file tells values apart.
    pub rows: Option<u64>,
    /// The means of the numbers in its rows.
    pub metrics: BTreeMap<String, f64>,
}

/// Every value of a pack, once, in the order of the sweep.
pub fn of_pack(outcome: &ShardOutcome<'_>, pack: &Pack, files: &[PackFile]) -> Vec<PackValue> {
    let mut records: Vec<Vec<(String, Json)>> = Vec::new();
    for file in files {
        records.extend(records_of(file, pack, outcome.id()));
    }
    let of = |value: &str| -> Vec<&Vec<(String, Json)>> {
        records
            .iter()
            .filter(|record| cell(record, &pack.axis).is_some_and(|cell| cell.shown() == value))
            .collect()
    };
    let names: Vec<String> = pack.values.iter().map(ToString::to_string).collect();
    let told_apart = names.iter().any(|name| !of(name).is_empty());
    let value = |value: String| {
        let own = of(&value);
        PackValue {
            axis: pack.axis.clone(),
            vars: outcome.spec.vars.clone(),
            shard: outcome.id().clone(),
            end: end(outcome.phase, told_apart, &own),
            rows: told_apart.then_some(own.len() as u64),
            metrics: means(&own, &pack.axis),
            value,
        }
    };
    names.into_iter().map(value).collect()
}

impl ValueEnd {
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

fn end(phase: PhaseKind, told_apart: bool, own: &[&Vec<(String, Json)>]) -> ValueEnd {
    let succeeded = phase == PhaseKind::Succeeded;
    if !phase.is_final() {
        return ValueEnd::Open;
    }
    match (told_apart, own.is_empty()) {
        (false, _) if succeeded => ValueEnd::Succeeded,
        (false, _) => ValueEnd::Failed,
        (true, true) => ValueEnd::Missing,
        (true, false) if own.iter().any(|record| went_wrong(record)) => ValueEnd::Failed,
        (true, false) if succeeded => ValueEnd::Succeeded,
        (true, false) => ValueEnd::Unfinished,
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
fn means(own: &[&Vec<(String, Json)>], axis: &str) -> BTreeMap<String, f64> {
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
fn records_of(file: &PackFile, pack: &Pack, shard: &ShardId) -> Vec<Vec<(String, Json)>> {
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
fn of_document(document: &Json, pack: &Pack) -> Vec<Vec<(String, Json)>> {
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

fn named(record: &Json) -> Vec<(String, Json)> {
    let members = record.members().unwrap_or_default().iter();
    members.map(|(key, value)| (plain(key).to_owned(), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::plan::ShardSpec;
    use crate::model::value::Value;

    fn ends(phase: PhaseKind, name: &str, text: &str) -> Vec<(String, ValueEnd, Option<u64>)> {
        let pack = Pack { index: 0, axis: "reward".into(), values: (3..6).map(Value::Integer).collect() };
        let plan = crate::results::status_tests::plan(&["p"]);
        let spec = ShardSpec { pack: Some(pack.clone()), ..plan.shards[0].clone() };
        let outcome = ShardOutcome { phase, ..ShardOutcome::of(&spec, None) };
        let files = [PackFile { name: name.to_owned(), bytes: text.as_bytes().to_vec() }];
        let values = of_pack(&outcome, &pack, &files);
        values.into_iter().map(|value| (value.value, value.end, value.rows)).collect()
    }

    #[test]
    fn values_are_told_apart_where_a_file_does_and_each_ends_once() {
        use ValueEnd::{Failed, Missing, Succeeded, Unfinished};
        let told = |all: [(ValueEnd, Option<u64>); 3]| -> Vec<(String, ValueEnd, Option<u64>)> {
            ["3", "4", "5"]
                .iter()
                .zip(all)
                .map(|(value, (end, rows))| ((*value).to_owned(), end, rows))
                .collect()
        };
        let lines =
            "{\"reward\": 3, \"x\": 1}\n{\"reward\": 3, \"x\": 2}\n{\"reward\": 5, \"status\": \"error\"}\n";
        let expected = told([(Succeeded, Some(2)), (Missing, Some(0)), (Failed, Some(1))]);
        assert_eq!(ends(PhaseKind::Succeeded, "r.jsonl", lines), expected);
        let table = "reward,x,error\n3,1,\n4,2,boom\n";
        let expected = told([(Unfinished, Some(1)), (Failed, Some(1)), (Missing, Some(0))]);
        assert_eq!(ends(PhaseKind::Failed, "r.csv", table), expected);
        let keyed = "{\"results\": {\"3\": {\"x\": 1}, \"4\": {\"x\": 2}, \"5\": {\"x\": 3}}}";
        let expected = told([(Succeeded, Some(1)), (Succeeded, Some(1)), (Succeeded, Some(1))]);
        assert_eq!(ends(PhaseKind::Succeeded, "r.json", keyed), expected);
        let together = "{\"success_rate\": 0.5}";
        assert_eq!(ends(PhaseKind::Failed, "r.json", together), told([(Failed, None); 3]));
        assert_eq!(ends(PhaseKind::Running, "r.json", "")[0].1, ValueEnd::Open);
    }
}
