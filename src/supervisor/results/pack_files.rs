//! The result files and log marks that packs have left behind, so that each value is reported on its own.

use std::collections::BTreeMap;

use super::ended_attempt;
use super::results_of_attempt::{self, WritingAttempt};
use crate::config::templates::render;
use crate::model::ids::AttemptKey;
use crate::model::logs::mark::MarkKind;
use crate::model::logs::value_log::{MOST_VALUES, ValueLog, ValueLogSpec, ValueShortfall};
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::{Pack, Plan, ShardSpec};
use crate::model::sweep::resume::Grants;
use crate::progress::files::reading::FileFault;
use crate::results::outcome::ShardOutcome;
use crate::results::pack_values::{PackFile, PackValue, Traces, of_pack, value_shortfall};
use crate::rundir::layout::RunDir;
use crate::rundir::marks::MarkReader;

/// The search for the values of an ended attempt's pack.
#[derive(Debug)]
pub(in crate::supervisor) struct PackSearch {
    key: AttemptKey,
    pack: Pack,
    spec: ValueLogSpec,
    patterns: Vec<String>,
    writer: WritingAttempt,
}

impl PackSearch {
    /// Returns the search for an attempt with these writers; `None` if its shard is no pack, or nothing would
    /// show its values.
    pub(in crate::supervisor) fn for_attempt(
        run: &RunDir,
        plan: &Plan,
        spec: &ShardSpec,
        (key, grants): (&AttemptKey, &Grants),
        writer: WritingAttempt,
    ) -> Option<Self> {
        let pack = spec.pack.clone()?;
        // What the attempts had finished that this one continued counts.
        let starts = ended_attempt::starts_of_parts(run, plan.template.resume, key, grants);
        let files = |start| render::value_files(plan, spec, start).unwrap_or_default();
        let patterns: Vec<String> = starts.iter().flat_map(files).collect();
        let is_told = !(patterns.is_empty() && plan.value_log.is_empty());
        is_told.then(|| Self { key: key.clone(), pack, spec: plan.value_log.clone(), patterns, writer })
    }

    /// Returns the values that have no result, by the files that are there now and by the log; and which
    /// files were not read.
    pub(in crate::supervisor) fn find_shortfall(
        &self,
        log: BTreeMap<String, ValueLog>,
    ) -> (Option<ValueShortfall>, Option<FileFault>) {
        let mut found = find_tables(&self.patterns, &self.writer);
        let has_unread = !found.unread.is_empty();
        if log.len() >= MOST_VALUES && self.pack.values.len() < MOST_VALUES {
            found
                .unread
                .push(format!("the whole log (it names {MOST_VALUES} values, and more are not read)"));
        }
        let traces = Traces { has_unread, files: found.files, log };
        let short = value_shortfall(&self.pack, &self.key.shard, &self.spec, &traces);
        (short, unread_fault(&self.pack.axis_name(), &found.unread))
    }
}

/// Every value of every pack.
pub(in crate::supervisor) fn read_values(
    run: &RunDir,
    plan: &Plan,
    state: &RunState,
    outcomes: &[ShardOutcome<'_>],
) -> Vec<PackValue> {
    let of_shard = |outcome: &ShardOutcome<'_>| {
        let Some(pack) = &outcome.spec.pack else { return Vec::new() };
        let traces = find_traces(run, plan, state, outcome.spec);
        of_pack(outcome, pack, &plan.value_log, &traces)
    };
    outcomes.iter().flat_map(of_shard).collect()
}

fn find_traces(run: &RunDir, plan: &Plan, state: &RunState, spec: &ShardSpec) -> Traces {
    let Some(shard) = state.shard(&spec.id) else { return Traces::default() };
    let search = shard.phase.ended().and_then(|ended| {
        let key = AttemptKey { shard: spec.id.clone(), attempt: ended.attempt };
        let (grants, writer) =
            (shard.grants_of(ended.attempt), ended_attempt::ended_writer(run, shard, ended));
        PackSearch::for_attempt(run, plan, spec, (&key, &grants), writer)
    });
    let newest = shard.attempt.map(|attempt| AttemptKey { shard: spec.id.clone(), attempt });
    let found = search.map(|search| find_tables(&search.patterns, &search.writer)).unwrap_or_default();
    Traces {
        has_unread: !found.unread.is_empty(),
        files: found.files,
        log: newest
            .filter(|_| !plan.value_log.is_empty())
            .map(|key| read_value_log(run, &key))
            .unwrap_or_default(),
    }
}

/// Returns the marks of an attempt on single values, the newest of each; empty if they cannot be read.
fn read_value_log(run: &RunDir, key: &AttemptKey) -> BTreeMap<String, ValueLog> {
    let read = MarkReader::new(&run.attempt_dir(key).marks_path()).read_new();
    let marks = read.map(|read| read.marks).unwrap_or_default();
    let values = marks.into_iter().filter_map(|mark| {
        if let MarkKind::Value { value, log } = mark.kind { Some((value, *log)) } else { None }
    });
    values.collect()
}

/// The files that may name values, and why others were not read.
#[derive(Default)]
struct PackFileScan {
    files: Vec<PackFile>,
    unread: Vec<String>,
}

fn find_tables(patterns: &[String], writer: &WritingAttempt) -> PackFileScan {
    let mut paths: Vec<_> =
        patterns.iter().flat_map(|pattern| results_of_attempt::find_matches(pattern)).collect();
    paths.sort();
    paths.dedup();
    let mut found = PackFileScan::default();
    for path in paths {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !PackFile::is_table(&name) || path.is_dir() {
            continue;
        }
        match results_of_attempt::read_contents(&ended_attempt::real_path(&path), Some(writer)) {
            Ok(bytes) => found.files.push(PackFile { name, bytes }),
            Err(why) => found.unread.push(format!("{} ({why})", path.display())),
        }
    }
    found
}

/// The first of the files that were not read, and the number of the others.
fn unread_fault(axis: &str, files: &[String]) -> Option<FileFault> {
    let first = files.first()?;
    let more = match files.len() - 1 {
        0 => String::new(),
        1 => " and 1 more file".to_owned(),
        more => format!(" and {more} more files"),
    };
    Some(FileFault::Odd(format!("values of {axis} were not looked for in {first}{more}")))
}
