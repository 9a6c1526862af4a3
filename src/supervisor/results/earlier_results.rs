//! Result files of an attempt that continues others, each with a folder of its own: the parts count together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::results_of_attempt::{WritingAttempt, find_matches, read_contents};
use crate::model::ids::ShardId;
use crate::model::results::result_file::ResultFile;
use crate::model::sweep::plan::MetricSpec;
use crate::progress::files::reader::ResultReader;
use crate::progress::files::reading::{FileFault, ResultReading};
use crate::results::merge::parts;
use crate::results::merge::piece::PieceWork;
use crate::results::merge::sheet::RowFormat;

/// Returns the combined results of all parts, where the newest does not hold all of the shard's episodes by
/// itself.
pub(in crate::supervisor) fn complete_results(
    newest: ResultReading,
    files: &[ResultFile],
    metrics: &[MetricSpec],
    writer: &WritingAttempt,
    (shard, work, asked): (&ShardId, &PieceWork, Option<u64>),
) -> ResultReading {
    let has_all = |asked: u64| newest.metrics.get("episodes").is_some_and(|done| done.value >= asked as f64);
    if files.iter().all(|file| file.earlier.is_empty()) || asked.is_some_and(has_all) {
        return newest;
    }
    let mut reader = ResultReader::new(metrics);
    for wanted in files {
        let parts = parts_by_name(wanted);
        if parts.is_empty() && wanted.is_missed() {
            let told = format!("there is no file {} for {}", wanted.pattern, wanted.wanted_by());
            reader.fault(FileFault::Absent(told));
        }
        for (name, paths) in parts {
            read_files(&mut reader, (&name, &paths), wanted, writer, (shard, work));
        }
    }
    reader.finish()
}

/// The files of each name, oldest first; where every part has one file, they are one whatever their names.
fn parts_by_name(wanted: &ResultFile) -> BTreeMap<String, Vec<PathBuf>> {
    let patterns = wanted.earlier.iter().chain([&wanted.pattern]);
    let of_parts: Vec<Vec<PathBuf>> = patterns.map(|pattern| find_matches(pattern)).collect();
    let is_one = of_parts.iter().all(|paths| paths.len() <= 1);
    let newest = of_parts.iter().flatten().next_back().map(|path| name_of(path)).unwrap_or_default();
    let mut parts: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in of_parts.into_iter().flatten() {
        let name = if is_one { newest.clone() } else { name_of(&path) };
        parts.entry(name).or_default().push(path);
    }
    parts
}

fn read_files(
    reader: &mut ResultReader,
    (name, paths): (&str, &[PathBuf]),
    wanted: &ResultFile,
    writer: &WritingAttempt,
    (shard, work): (&ShardId, &PieceWork),
) {
    let mut read = Vec::new();
    for path in paths {
        match read_contents(path, Some(writer)) {
            Ok(bytes) => read.push(bytes),
            Err(_) if !wanted.is_missed() => {}
            Err(why) => reader.fault(FileFault::Odd(format!("{} was not read: {why}", path.display()))),
        }
    }
    if !wanted.is_missed() {
        return take_episodes(reader, name, &read, wanted, (shard, work));
    }
    let Some(format) = row_format(name) else {
        // An attempt that was ended may have left a document cut off, which the newest replaces.
        let newest = read.len().saturating_sub(1);
        let is_whole = |bytes: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok();
        for (place, bytes) in read.iter().enumerate() {
            if place == newest || is_whole(bytes) {
                reader.take(name, bytes, wanted);
            }
        }
        return;
    };
    match parts::join_rows(format, shard, work, read.clone()) {
        Ok(bytes) => reader.take(name, &bytes, wanted),
        Err(refusal) => {
            reader.fault(FileFault::Odd(format!("{name}: {}", refusal.why)));
            read.last().into_iter().for_each(|bytes| reader.take(name, bytes, wanted));
        }
    }
}

/// Reads the episodes of a file that is merged alone; rows of all parts are one list.
fn take_episodes(
    reader: &mut ResultReader,
    name: &str,
    read: &[Vec<u8>],
    wanted: &ResultFile,
    (shard, work): (&ShardId, &PieceWork),
) {
    let joined =
        row_format(name).and_then(|format| parts::join_rows(format, shard, work, read.to_vec()).ok());
    if let Some(bytes) = joined.as_ref().or(read.last()) {
        reader.take_episodes(name, bytes, wanted);
    }
}

fn row_format(name: &str) -> Option<RowFormat> {
    let extension = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "jsonl" | "ndjson" => Some(RowFormat::Jsonl),
        "csv" => Some(RowFormat::Csv),
        _ => None,
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
