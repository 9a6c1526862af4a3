//! The file in which the program of an attempt reports its progress, looked at from time to time.

use std::fs::Metadata;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::model::outcome::Progress;
use crate::progress::files::progress_file::LONGEST;
use crate::progress::files::progress_file::progress_in;
use crate::rundir::refusal::open_foreign;

/// A progress file, which may come, be replaced, and go.
pub(in crate::supervisor) struct ProgressFile {
    /// Absolute; may hold `*`.
    pattern: String,
    /// How the file looked whose text was understood last.
    seen: Option<FileStamp>,
}

/// Identity of the file, its length, and when it was written.
type FileStamp = (u64, u64, u64, Option<SystemTime>);

/// The result of one look at the file.
#[derive(Debug, PartialEq)]
pub(in crate::supervisor) enum ProgressUpdate {
    /// There is no such file.
    Gone,
    /// Nothing new, or a text that is not whole.
    Same,
    /// The file was written, and gives this progress.
    Reported(Progress),
}

impl ProgressFile {
    /// The file of this name or pattern.
    pub(in crate::supervisor) fn new(pattern: String) -> Self {
        Self { pattern, seen: None }
    }

    /// Looks at the newest file.
    pub(in crate::supervisor) fn read_newest(&mut self) -> ProgressUpdate {
        let Some((path, metadata)) = self.find_newest() else { return ProgressUpdate::Gone };
        let look = (metadata.dev(), metadata.ino(), metadata.len(), metadata.modified().ok());
        if self.seen == Some(look) {
            return ProgressUpdate::Same;
        }
        let Some(progress) = text_of(&path).and_then(|text| progress_in(&text)) else {
            return ProgressUpdate::Same;
        };
        self.seen = Some(look);
        ProgressUpdate::Reported(progress)
    }

    fn find_newest(&self) -> Option<(PathBuf, Metadata)> {
        // A pipe would block the process that opens it.
        let file = |path: PathBuf| {
            let metadata = std::fs::metadata(&path).ok().filter(Metadata::is_file)?;
            Some((path, metadata))
        };
        // A folder name of the user may itself hold `[`; the plain name is looked for first.
        file(PathBuf::from(&self.pattern)).or_else(|| {
            let paths = glob::glob(&self.pattern).ok()?.flatten();
            paths.filter_map(file).max_by_key(|(_, metadata)| metadata.modified().ok())
        })
    }
}

fn text_of(path: &Path) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    open_foreign(path).ok()?.take(LONGEST).read_to_end(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;

    fn told(done: u64, total: u64) -> ProgressUpdate {
        ProgressUpdate::Reported(Progress { done, total: Some(total) })
    }

    #[test]
    fn a_file_is_read_when_it_was_written_and_a_torn_one_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("eval.progress");
        let mut file = ProgressFile::new(path.to_str().unwrap().to_owned());
        assert_eq!(file.read_newest(), ProgressUpdate::Gone);
        fs::write(&path, "{\"completed\": 1, \"to").unwrap();
        assert_eq!(file.read_newest(), ProgressUpdate::Same);
        fs::write(&path, "{\"completed\": 1, \"total\": 5}").unwrap();
        assert_eq!((file.read_newest(), file.read_newest()), (told(1, 5), ProgressUpdate::Same));
        let new = folder.path().join("new");
        fs::write(&new, "{\"completed\": 2, \"total\": 5}").unwrap();
        fs::rename(&new, &path).unwrap();
        assert_eq!(file.read_newest(), told(2, 5));
        fs::remove_file(&path).unwrap();
        assert_eq!(file.read_newest(), ProgressUpdate::Gone);
    }

    #[test]
    fn of_several_files_the_newest_counts_and_a_pipe_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = ProgressFile::new(format!("{}/*.progress", folder.path().display()));
        let write = |name: &str, done: u64, seconds: u64| {
            let path = folder.path().join(name);
            fs::write(&path, format!("{{\"done\": {done}, \"total\": 9}}")).unwrap();
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        };
        write("b.progress", 9, 10);
        write("a.progress", 1, 20);
        assert_eq!(file.read_newest(), told(1, 9));
        let pipe = folder.path().join("pipe.progress");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(ProgressFile::new(pipe.to_str().unwrap().to_owned()).read_newest(), ProgressUpdate::Gone);
    }
}
