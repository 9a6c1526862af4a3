//! The kernel's notices of changes in folders, read by a thread that may be refused.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{self, PipeWriter};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

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

/// Watches of folders; their thread ends when this is dropped.
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

fn lock(known: &Mutex<WatchedFolders>) -> MutexGuard<'_, WatchedFolders> {
    // No code that can panic runs under the lock.
    known.lock().unwrap_or_else(PoisonError::into_inner)
}
