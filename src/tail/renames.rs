//! Files that got their names by being renamed, as the kernel reports it. Over a network it reports nothing.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::watcher::{FolderEvent, FolderWatches};

/// Remembers what was renamed in some folders.
pub struct Renames {
    /// Instances of inotify are few per user; without one nothing is known.
    watcher: Option<FolderWatches>,
    folders: HashSet<PathBuf>,
    renamed: Arc<Mutex<HashSet<PathBuf>>>,
}

impl Renames {
    /// Begins without any folder.
    pub fn new() -> Self {
        let renamed = Arc::new(Mutex::new(HashSet::new()));
        let theirs = Arc::clone(&renamed);
        let watcher = FolderWatches::start(move |event| note_rename(event, &theirs)).ok();
        Self { watcher, folders: HashSet::new(), renamed }
    }

    /// Watches this folder as well, from now on; a missing one is tried again.
    pub fn add_folder(&mut self, folder: &Path) {
        let Some(watcher) = self.watcher.as_ref().filter(|_| !self.folders.contains(folder)) else { return };
        if watcher.watch(folder).is_ok() {
            self.folders.insert(folder.to_owned());
        }
    }

    /// The file got its name by being renamed, since this was last asked.
    pub fn take_renamed(&self, path: &Path) -> bool {
        lock_renamed(&self.renamed).remove(path)
    }
}

impl Default for Renames {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Renames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Renames").field("folders", &self.folders).finish_non_exhaustive()
    }
}

fn note_rename(event: FolderEvent, renamed: &Mutex<HashSet<PathBuf>>) {
    match event {
        FolderEvent::Renamed(path) => drop(lock_renamed(renamed).insert(path)),
        FolderEvent::Changed(_) | FolderEvent::Lost => {}
    }
}

fn lock_renamed(renamed: &Mutex<HashSet<PathBuf>>) -> MutexGuard<'_, HashSet<PathBuf>> {
    renamed.lock().unwrap_or_else(PoisonError::into_inner)
}
