//! Reads the files of results that an attempt has left: found by their patterns, none too old and none too large.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use jiff::Timestamp;

use crate::model::results::result_file::ResultFile;
use crate::model::sweep::plan::MetricSpec;
use crate::progress::files::reader::ResultReader;
use crate::progress::files::reading::{FileFault, ResultReading};
use crate::rundir::clock;
use crate::rundir::refusal::{open_foreign, read_bounded};

/// No file of results is larger; a document takes about ten times its size while it is read.
const MOST_BYTES: u64 = 32 << 20;

/// A file system that does not answer must not keep an attempt from its end.
pub(in crate::supervisor) const PATIENCE: Duration = Duration::from_secs(10);

/// Clocks of file systems tick coarsely, and those of servers are a little off.
const SLACK: Duration = Duration::from_secs(2);

/// The attempt whose files are read.
#[derive(Debug, Clone)]
pub struct WritingAttempt {
    /// Its own folder, and those of the attempts that it continues: what is stored there is its own.
    pub folders: Vec<PathBuf>,
    /// When the first of them began; files elsewhere that are older were written by another program before it.
    pub began: Option<Timestamp>,
}

impl WritingAttempt {
    /// The file lies outside of the attempt's folder and was there before the attempt began.
    pub(in crate::supervisor) fn is_older(&self, path: &Path, about: &fs::Metadata) -> bool {
        if self.folders.iter().any(|folder| path.starts_with(folder)) {
            return false;
        }
        let written = about.modified().ok().and_then(|at| Timestamp::try_from(at).ok());
        written.zip(self.began).is_some_and(|(written, began)| clock::of_file(written) + SLACK < began)
    }
}

/// Reads all files; what cannot be read is reported in the result. Without a writer files may have any age.
pub fn read_results(
    files: &[ResultFile],
    metrics: &[MetricSpec],
    writer: Option<&WritingAttempt>,
) -> ResultReading {
    let mut reader = ResultReader::new(metrics);
    for wanted in files {
        let paths = find_matches(&wanted.pattern);
        if paths.is_empty() && wanted.is_missed() {
            let told = format!("there is no file {} for {}", wanted.pattern, wanted.wanted_by());
            reader.fault(FileFault::Absent(told));
        }
        for path in paths {
            let name = path.file_name().map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy());
            match read_contents(&path, writer) {
                Ok(bytes) if wanted.is_missed() => reader.take(&name, &bytes, wanted),
                Ok(bytes) => reader.take_episodes(&name, &bytes, wanted),
                Err(_) if !wanted.is_missed() => {}
                Err(why) => reader.fault(FileFault::Odd(format!("{} was not read: {why}", path.display()))),
            }
        }
    }
    reader.finish()
}

/// Returns the result for files that could not be read at all.
pub(in crate::supervisor) fn unread_results() -> ResultReading {
    let told = format!("the files of results could not be read within {} s", PATIENCE.as_secs());
    ResultReading { faults: vec![FileFault::Odd(told)], ..ResultReading::default() }
}

/// The files of that name or pattern, in the order of their names.
pub(in crate::supervisor) fn find_matches(pattern: &str) -> Vec<PathBuf> {
    // A folder name of the user may itself hold `[`; the plain name is looked for first.
    if fs::symlink_metadata(pattern).is_ok() {
        return vec![PathBuf::from(pattern)];
    }
    glob::glob(pattern).map(|paths| paths.flatten().collect()).unwrap_or_default()
}

/// Reads the file's bytes, or returns why it was not read.
pub(in crate::supervisor) fn read_contents(
    path: &Path,
    writer: Option<&WritingAttempt>,
) -> Result<Vec<u8>, String> {
    let told = |error: io::Error| error.to_string();
    let file = open_foreign(path).map_err(told)?;
    let about = file.metadata().map_err(told)?;
    if about.len() > MOST_BYTES {
        return Err(format!(
            "it has {} MiB, and more than {} are not read",
            about.len() >> 20,
            MOST_BYTES >> 20
        ));
    }
    if writer.is_some_and(|writer| writer.is_older(path, &about)) {
        return Err("it is older than this attempt".to_owned());
    }
    read_bounded(file, MOST_BYTES).map_err(told)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    fn wanted(pattern: &Path) -> ResultFile {
        ResultFile { pattern: pattern.display().to_string(), known: true, ..ResultFile::default() }
    }

    fn read_one(pattern: &Path, writer: Option<&WritingAttempt>) -> ResultReading {
        read_results(&[wanted(pattern)], &[], writer)
    }

    #[test]
    fn files_are_found_by_pattern_and_counted_together() {
        let folder = tempfile::tempdir().unwrap();
        let text = |successes: u32| format!("{{\"episodes\": 10, \"successes\": {successes}}}");
        fs::write(folder.path().join("a.json"), text(4)).unwrap();
        fs::write(folder.path().join("b.json"), text(5)).unwrap();
        let reading = read_one(&folder.path().join("*.json"), None);
        assert_eq!(reading.metrics["success_rate"].value, 0.45);
        assert_eq!(reading.metrics["success_rate"].file, "2 files");
    }

    #[test]
    fn what_is_not_read_is_told_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.json");
        let reason = |writer: Option<&WritingAttempt>| match read_one(&path, writer).faults.as_slice() {
            [] => "none".to_owned(),
            [FileFault::Absent(_)] => "absent".to_owned(),
            [FileFault::Odd(told)] => told.rsplit_once(": ").unwrap().1.to_owned(),
            more => panic!("{more:?}"),
        };
        assert_eq!(reason(None), "absent");
        fs::create_dir(&path).unwrap();
        assert_eq!(reason(None), "it is a folder and not a file; move it away");
        fs::remove_dir(&path).unwrap();
        fs::write(&path, "{\"episodes\": 1, \"successes\": 1}").unwrap();
        let elsewhere = |began| WritingAttempt { folders: vec!["/elsewhere".into()], began: Some(began) };
        let later = Timestamp::now() + Duration::from_secs(60);
        assert_eq!(reason(Some(&elsewhere(later))), "it is older than this attempt");
        assert_eq!(reason(Some(&elsewhere(Timestamp::now()))), "none");
        assert_eq!(
            reason(Some(&WritingAttempt { folders: vec![folder.path().into()], began: Some(later) })),
            "none"
        );
        File::create(&path).unwrap().set_len(MOST_BYTES + (5 << 20)).unwrap();
        assert_eq!(reason(None), "it has 37 MiB, and more than 32 are not read");
    }
}
