//! Reports when files change: by inotify, and by polling where the kernel cannot know.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, PipeWriter};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::error::TailError;
use super::filesystem::shared_filesystem;
use super::poller::Poller;

/// Often enough for a person who watches, rare enough for a file server.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Change that a watcher reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// The watched file at this path was written, made, replaced or removed.
    Touched(PathBuf),
    /// Events were lost: look at everything.
    Rescan,
}

/// Callback for the changes that a watcher reports, called from a thread of its own.
#[derive(Clone)]
pub struct OnChange(Arc<dyn Fn(FileChange) + Send + Sync>);

/// Reports when files change. The folder of each file is watched, so a file may come, go and be replaced. Paths are
/// absolute.
#[derive(Debug)]
pub struct Watcher {
    on_change: OnChange,
    watched: Arc<Mutex<WatchedFiles>>,
    inotify: Option<FolderWatches>,
    poller: Option<Poller>,
}

/// Files that are to be watched, and how.
#[derive(Debug, Default)]
struct WatchedFiles {
    files: HashSet<PathBuf>,
    /// Folders known to inotify, with how many of the files above need each.
    notified: HashMap<PathBuf, usize>,
    polled: HashSet<PathBuf>,
}

impl Watcher {
    /// Creates a watcher that calls `on_change`, from another thread.
    pub fn new(on_change: impl Fn(FileChange) + Send + Sync + 'static) -> Self {
        let on_change = OnChange(Arc::new(on_change));
        let watched = Arc::new(Mutex::new(WatchedFiles::default()));
        let (tell, theirs) = (on_change.clone(), Arc::clone(&watched));
        let handler = move |event: FolderEvent| forward_event(event, &theirs, &tell);
        // Instances of inotify are few per user, and so may threads be; without one everything is polled.
        let inotify = FolderWatches::start(handler).ok();
        Self { on_change, watched, inotify, poller: None }
    }

    /// Watches a file, which need not exist yet; its folder must. A link is watched itself, not what it leads to.
    pub fn watch_file(&mut self, path: &Path) -> Result<(), TailError> {
        if !lock(&self.watched).files.insert(path.to_owned()) {
            return Ok(());
        }
        self.begin_watch(path).inspect_err(|_| {
            lock(&self.watched).files.remove(path);
        })
    }

    /// Ends the watching of a file.
    pub fn unwatch(&mut self, path: &Path) {
        let folder = folder_of(path);
        let mut watched = lock(&self.watched);
        if watched.polled.remove(path)
            && let Some(poller) = &self.poller
        {
            poller.remove_path(path);
        }
        let given_up = watched.files.remove(path) && watched.release_folder(folder);
        drop(watched);
        if given_up && let Some(inotify) = &self.inotify {
            inotify.unwatch(folder);
        }
    }

    fn begin_watch(&mut self, path: &Path) -> Result<(), TailError> {
        let folder = folder_of(path);
        let failed = |source| TailError::Watch { path: path.to_owned(), source };
        let is_shared = shared_filesystem(open_folder(folder).map_err(failed)?).is_some();
        if is_shared || !self.notify_of(folder) {
            self.poll_file(path).map_err(failed)?;
        }
        Ok(())
    }

    /// False when inotify cannot watch the folder, e.g. because the user's watches are used up.
    fn notify_of(&mut self, folder: &Path) -> bool {
        let Some(inotify) = &self.inotify else { return false };
        let known = lock(&self.watched).notified.contains_key(folder);
        if !known && inotify.watch(folder).is_err() {
            return false;
        }
        *lock(&self.watched).notified.entry(folder.to_owned()).or_default() += 1;
        true
    }

    fn poll_file(&mut self, path: &Path) -> io::Result<()> {
        if self.poller.is_none() {
            let tell = self.on_change.clone();
            self.poller = Some(Poller::start(POLL_INTERVAL, move |path| tell.report_touched(path))?);
        }
        if let Some(poller) = &self.poller {
            poller.add_path(path.to_owned());
        }
        lock(&self.watched).polled.insert(path.to_owned());
        Ok(())
    }
}

impl OnChange {
    /// Reports that a path was touched.
    pub fn report_touched(&self, path: &Path) {
        (self.0)(FileChange::Touched(path.to_owned()));
    }
}

impl fmt::Debug for OnChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnChange")
    }
}

impl WatchedFiles {
    /// Needs the folder once less; true when nothing needs it any more.
    fn release_folder(&mut self, folder: &Path) -> bool {
        let Some(count) = self.notified.get_mut(folder) else { return false };
        *count -= 1;
        let unused = *count == 0;
        if unused {
            self.notified.remove(folder);
        }
        unused
    }
}

/// Passes on what concerns the watched paths.
fn forward_event(event: FolderEvent, watched: &Mutex<WatchedFiles>, on_change: &OnChange) {
    match event {
        FolderEvent::Lost => (on_change.0)(FileChange::Rescan),
        FolderEvent::Changed(path) | FolderEvent::Renamed(path) => {
            let is_watched = lock(watched).files.contains(&path);
            if is_watched {
                on_change.report_touched(&path);
            }
        }
    }
}

/// The folder a file lies in; the current one for a bare name.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    }
}

/// Opens a folder by its path alone: a pipe in its place would hold up the open.
fn open_folder(folder: &Path) -> io::Result<File> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(folder, flags, Mode::empty())?.into())
}

/// Change in a watched folder.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FolderEvent {
    /// The file at this path was written, made or removed.
    Changed(PathBuf),
    /// A file got this path by being renamed.
    Renamed(PathBuf),
    /// The kernel had no room for more: anything may have changed.
    Lost,
}

/// The kernel's notices of changes in folders, read by a thread that may be refused; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct FolderWatches {
    inotify: Arc<OwnedFd>,
    known: Arc<Mutex<WatchedFolders>>,
    /// The thread ends when this end is closed.
    _alive: PipeWriter,
}

#[derive(Debug, Default)]
struct WatchedFolders {
    numbers: HashMap<PathBuf, i32>,
    folders: HashMap<i32, PathBuf>,
}

/// Reading changes nothing, and readers would wake themselves.
const CHANGES: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO);

impl FolderWatches {
    /// Starts the thread that calls `on_event`. An error where the user has no instance, descriptor or process left.
    pub(super) fn start(on_event: impl Fn(FolderEvent) + Send + 'static) -> io::Result<Self> {
        let inotify = Arc::new(inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?);
        let known = Arc::new(Mutex::new(WatchedFolders::default()));
        let (ends, alive) = io::pipe()?;
        let (theirs, folders) = (Arc::clone(&inotify), Arc::clone(&known));
        std::thread::Builder::new().name("inotify".to_owned()).spawn(move || {
            let mut ready = [PollFd::new(&*theirs, PollFlags::IN), PollFd::new(&ends, PollFlags::IN)];
            loop {
                match poll(&mut ready, None) {
                    Ok(_) | Err(Errno::INTR) => {}
                    // Short of memory, which passes; a pause would only delay what comes.
                    Err(_) => std::thread::yield_now(),
                }
                if !ready[1].revents().is_empty() {
                    return;
                }
                read_events(&theirs, &folders, &on_event);
            }
        })?;
        Ok(Self { inotify, known, _alive: alive })
    }

    /// Watches a folder; a second time changes nothing.
    pub(super) fn watch(&self, folder: &Path) -> io::Result<()> {
        // Held, so that its first event finds its folder.
        let mut known = lock(&self.known);
        let number = inotify::add_watch(&self.inotify, folder, CHANGES)?;
        known.numbers.insert(folder.to_owned(), number);
        known.folders.insert(number, folder.to_owned());
        Ok(())
    }

    /// Ends the watch of a folder.
    pub(super) fn unwatch(&self, folder: &Path) {
        let mut known = lock(&self.known);
        if let Some(number) = known.numbers.remove(folder) {
            known.folders.remove(&number);
            // A folder that is gone has lost its watch already.
            let _ = inotify::remove_watch(&self.inotify, number);
        }
    }
}

fn read_events(inotify: &OwnedFd, known: &Mutex<WatchedFolders>, on_event: &impl Fn(FolderEvent)) {
    let mut buffer = [const { MaybeUninit::uninit() }; 4096];
    let mut reader = Reader::new(inotify, &mut buffer);
    // An error is the end of what there is, or passes: the next event comes all the same.
    while let Ok(event) = reader.next() {
        if event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
            on_event(FolderEvent::Lost);
            continue;
        }
        let mut known = lock(known);
        if event.events().contains(ReadFlags::IGNORED) {
            // The folder is gone; one that comes in its place gets another number.
            if let Some(folder) = known.folders.remove(&event.wd()) {
                known.numbers.remove(&folder);
            }
            continue;
        }
        let folder = known.folders.get(&event.wd()).cloned();
        drop(known);
        if let (Some(folder), Some(name)) = (folder, event.file_name()) {
            let path = folder.join(OsStr::from_bytes(name.to_bytes()));
            let is_renamed = event.events().contains(ReadFlags::MOVED_TO);
            on_event(if is_renamed { FolderEvent::Renamed(path) } else { FolderEvent::Changed(path) });
        }
    }
}

fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code that can panic runs under the locks of this file.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    const DEADLINE: Duration = Duration::from_secs(20);

    fn watcher() -> (Watcher, Receiver<FileChange>) {
        let (sender, receiver) = channel();
        (Watcher::new(move |change| drop(sender.send(change))), receiver)
    }

    fn expect(changes: &Receiver<FileChange>, path: &Path) {
        assert_eq!(changes.recv_timeout(DEADLINE).unwrap(), FileChange::Touched(path.to_owned()));
    }

    fn drain(changes: &Receiver<FileChange>) {
        while changes.try_recv().is_ok() {}
    }

    #[test]
    fn a_file_is_told_of_when_it_comes_grows_and_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("log"), folder.path().join("other"));
        let (mut watcher, changes) = watcher();
        watcher.watch_file(&file).unwrap();
        std::fs::write(&other, "not watched").unwrap();
        std::fs::write(&file, "one").unwrap();
        expect(&changes, &file);
        std::fs::rename(&other, &file).unwrap();
        expect(&changes, &file);
        watcher.unwatch(&file);
        drain(&changes);
        // Once a change of a second file is reported, an event of the first would have come before it.
        watcher.watch_file(&other).unwrap();
        std::fs::write(&file, "two").unwrap();
        std::fs::write(&other, "two").unwrap();
        expect(&changes, &other);
    }

    #[test]
    fn a_file_in_no_folder_cannot_be_watched() {
        assert!(watcher().0.watch_file(Path::new("/nowhere/log")).is_err());
    }

    #[test]
    fn without_inotify_files_are_polled() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log");
        let (mut watcher, changes) = watcher();
        watcher.inotify = None;
        watcher.watch_file(&file).unwrap();
        std::fs::write(&file, "one").unwrap();
        expect(&changes, &file);
        std::fs::write(&file, "one two").unwrap();
        expect(&changes, &file);
    }
}
