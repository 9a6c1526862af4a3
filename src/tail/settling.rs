//! When a file that another program writes is complete: no notice comes, but it has not changed for a while,
//! or it got its name when it was there already.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::renames::Renames;

/// So many files of a folder are looked at; in larger ones a change of the others is not seen.
const MOST_FILES: usize = 10_000;

/// Marks by which a change of a file, or of a folder with all in it, is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Size of all files, in bytes.
    size: u64,
    /// Number of files in all.
    files: u64,
    /// The newest time of a change.
    modified: Option<SystemTime>,
    inode: u64,
}

impl Stamp {
    /// Takes the stamp of what is at the path now.
    pub fn from_path(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        let mut stamp = Self { size: 0, files: 0, modified: None, inode: metadata.ino() };
        if metadata.is_dir() {
            stamp.add_folder(path)?;
        } else {
            stamp.add_metadata(&metadata);
        }
        Ok(stamp)
    }

    fn add_metadata(&mut self, metadata: &fs::Metadata) {
        self.size = self.size.saturating_add(metadata.len());
        self.files += 1;
        self.modified = self.modified.max(metadata.modified().ok());
    }

    fn add_folder(&mut self, folder: &Path) -> io::Result<()> {
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                // A link is not followed: it may lead back to where it is.
                let metadata = entry.metadata()?;
                if metadata.is_dir() {
                    folders.push(entry.path());
                } else if self.files < MOST_FILES as u64 {
                    self.add_metadata(&metadata);
                }
            }
        }
        Ok(())
    }

    /// Nothing is in it.
    fn is_empty(self) -> bool {
        self.size == 0
    }

    /// Reports whether it has not changed for that long, by the clock of the machine that wrote it.
    fn is_older_than(self, least: Duration, now: SystemTime) -> bool {
        let age = self.modified.and_then(|modified| now.duration_since(modified).ok());
        age.is_some_and(|age| age >= least)
    }
}

/// Whether what is at the path has not changed for that long and has something in it.
pub fn is_settled(path: &Path, settle: Duration) -> bool {
    Stamp::from_path(path)
        .is_ok_and(|stamp| !stamp.is_empty() && stamp.is_older_than(settle, SystemTime::now()))
}

/// Files that are looked at again and again until they are complete.
#[derive(Debug)]
pub struct Settling {
    settle: Duration,
    waiting: HashMap<String, UnsettledFile>,
    /// The names in the folders of what was found, by inode, as they were at the last look.
    names: HashMap<(PathBuf, u64), HashSet<String>>,
    renames: Renames,
}

#[derive(Debug)]
struct UnsettledFile {
    stamp: Stamp,
    since: Instant,
}

/// Result of one look at the files.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SettledFiles {
    /// Complete files, in the order in which they were given.
    pub complete: Vec<String>,
    /// Something came or changed since the look before.
    pub is_moving: bool,
}

impl Settling {
    /// A file is complete when it has not changed for `settle`.
    pub fn new(settle: Duration) -> Self {
        Self { settle, waiting: HashMap::new(), names: HashMap::new(), renames: Renames::new() }
    }

    /// Watches for renames in these folders and in those of files that were looked at, from now on.
    pub fn watch_folders(&mut self, folders: &[PathBuf]) {
        folders.iter().for_each(|folder| self.renames.add_folder(folder));
    }

    /// Looks at these files, none of which was complete before: their names, and where they are. `folders` are read as
    /// well, so that a file is known again that gets its final name there.
    pub fn check_files(&mut self, files: &[(String, PathBuf)], folders: &[PathBuf]) -> SettledFiles {
        let (now, wall) = (Instant::now(), SystemTime::now());
        files.iter().filter_map(|(_, path)| path.parent()).for_each(|folder| self.renames.add_folder(folder));
        let names = names_in(files, folders);
        let mut found = SettledFiles::default();
        let mut waiting = HashMap::new();
        for (name, path) in files {
            // What cannot be looked at now may be gone, or will be looked at the next time.
            let Ok(stamp) = Stamp::from_path(path) else { continue };
            let before = self.waiting.remove(name);
            let since = before.filter(|before| before.stamp == stamp).map(|before| before.since);
            found.is_moving |= since.is_none();
            let is_quiet = since.is_some_and(|since| now.duration_since(since) >= self.settle);
            let is_complete =
                is_quiet || stamp.is_older_than(self.settle, wall) || self.was_renamed(path, stamp.inode);
            if is_complete && !stamp.is_empty() {
                found.complete.push(name.clone());
            } else {
                waiting.insert(name.clone(), UnsettledFile { stamp, since: since.unwrap_or(now) });
            }
        }
        self.waiting = waiting;
        self.names = names;
        found
    }

    /// Some file is not complete yet.
    pub fn is_waiting(&self) -> bool {
        self.waiting.values().any(|waiting| !waiting.stamp.is_empty())
    }

    /// Reports whether it had another name in its folder when that was last read: a program that writes a file under
    /// another name and renames it has written it whole. So has one that puts another file in its place.
    fn was_renamed(&self, path: &Path, inode: u64) -> bool {
        if self.renames.take_renamed(path) {
            return true;
        }
        let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str()))
        else {
            return false;
        };
        let before = self.names.get(&(folder.to_owned(), inode));
        before.is_some_and(|names| !names.contains(name))
    }
}

/// All names in the folders of these files and in these folders, by their inodes.
fn names_in(files: &[(String, PathBuf)], folders: &[PathBuf]) -> HashMap<(PathBuf, u64), HashSet<String>> {
    let mut all: HashSet<&Path> = files.iter().filter_map(|(_, path)| path.parent()).collect();
    all.extend(folders.iter().map(PathBuf::as_path));
    let mut names: HashMap<_, HashSet<String>> = HashMap::new();
    for folder in all {
        use std::os::unix::fs::DirEntryExt;
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            names.entry((folder.to_owned(), entry.ino())).or_default().insert(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    fn files(folder: &Path, names: &[&str]) -> Vec<(String, PathBuf)> {
        names.iter().map(|name| ((*name).to_owned(), folder.join(name))).collect()
    }

    #[test]
    fn a_file_is_complete_when_it_was_renamed_or_is_old() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut settling = Settling::new(LONG);
        fs::write(path("b.part"), "weights").unwrap();
        fs::write(path("a.pt"), "half of").unwrap();
        let look = |settling: &mut Settling, names: &[&str]| {
            settling.check_files(&files(folder.path(), names), &[folder.path().to_owned()])
        };
        let first = look(&mut settling, &["a.pt"]);
        assert_eq!((first.complete.len(), first.is_moving), (0, true));
        assert!(settling.is_waiting());
        fs::rename(path("b.part"), path("b.pt")).unwrap();
        assert_eq!(look(&mut settling, &["a.pt", "b.pt"]).complete, ["b.pt"]);
        // A file that had the name before and gets no other is not renamed.
        assert_eq!(look(&mut settling, &["a.pt"]), SettledFiles::default());
        let old = SystemTime::now() - 2 * LONG;
        fs::File::options().append(true).open(path("a.pt")).unwrap().set_modified(old).unwrap();
        assert_eq!(look(&mut settling, &["a.pt"]).complete, ["a.pt"]);
        assert!(!settling.is_waiting());
    }

    #[test]
    fn what_has_not_changed_for_long_enough_is_complete_and_what_is_empty_never_is() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("step_1")).unwrap();
        fs::write(folder.path().join("empty.pt"), "").unwrap();
        let both = files(folder.path(), &["step_1", "empty.pt"]);
        let mut settling = Settling::new(Duration::ZERO);
        assert!(settling.check_files(&both, &[]).complete.is_empty());
        assert!(!settling.is_waiting(), "nobody waits for what may stay empty");
        fs::write(folder.path().join("step_1/model.safetensors"), "weights").unwrap();
        settling.check_files(&both, &[]);
        assert_eq!(Settling::new(Duration::ZERO).check_files(&both, &[]).complete, ["step_1"]);
        assert!(is_settled(&folder.path().join("step_1"), Duration::ZERO));
        assert!(!is_settled(&folder.path().join("step_1"), LONG));
    }
}
