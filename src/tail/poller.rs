//! Looks at files on a timer: where the kernel reports no changes, they have to be looked for.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};

/// How a file looked: which it is, how long, and when it was written.
type FileStamp = Option<(u64, u64, i64, i64)>;

/// Looks at files on a timer, on a thread of its own that ends with it.
#[derive(Debug)]
pub struct Poller {
    shared: Arc<PollerInner>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct PollerInner {
    state: Mutex<PollerState>,
    stop: Condvar,
}

#[derive(Debug, Default)]
struct PollerState {
    files: HashMap<PathBuf, FileStamp>,
    stopping: bool,
}

impl Poller {
    /// Looks every `interval`, and calls `touched` for each file that looks different.
    pub fn start(interval: Duration, touched: impl Fn(&Path) + Send + 'static) -> std::io::Result<Self> {
        let shared = Arc::new(PollerInner { state: Mutex::default(), stop: Condvar::new() });
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("poll-files".into()).spawn(move || {
            while theirs.wait_interval(interval) {
                for path in theirs.find_changed() {
                    touched(&path);
                }
            }
        })?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Looks at this file or folder too; it need not exist yet.
    pub fn add_path(&self, path: PathBuf) {
        let look = look_at(&path);
        self.shared.lock().files.insert(path, look);
    }

    /// Looks at it no more.
    pub fn remove_path(&self, path: &Path) {
        self.shared.lock().files.remove(path);
    }
}

impl Drop for Poller {
    fn drop(&mut self) {
        self.shared.lock().stopping = true;
        self.shared.stop.notify_all();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing left to end.
            let _ = thread.join();
        }
    }
}

impl PollerInner {
    fn lock(&self) -> MutexGuard<'_, PollerState> {
        // No code that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for one interval; false when it is time to end.
    fn wait_interval(&self, interval: Duration) -> bool {
        let waited = self.stop.wait_timeout_while(self.lock(), interval, |state| !state.stopping);
        !waited.unwrap_or_else(PoisonError::into_inner).0.stopping
    }

    fn find_changed(&self) -> Vec<PathBuf> {
        // A file system that hangs must not hold the lock that `add` and `remove` wait for.
        let paths: Vec<PathBuf> = self.lock().files.keys().cloned().collect();
        let looks: Vec<(PathBuf, FileStamp)> =
            paths.into_iter().map(|path| (path.clone(), look_at(&path))).collect();
        let mut state = self.lock();
        let mut changed = Vec::new();
        for (path, look) in looks {
            if let Some(known) = state.files.get_mut(&path)
                && *known != look
            {
                *known = look;
                changed.push(path);
            }
        }
        changed
    }
}

/// Opens a file without waiting: a pipe in its place would hold up the open.
fn open_at_once(path: &Path) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Some(rustix::fs::open(path, flags, Mode::empty()).ok()?.into())
}

fn look_at(path: &Path) -> FileStamp {
    // Opening asks the server, where a bare stat would be answered from a cache.
    let metadata = open_at_once(path)?.metadata().ok()?;
    Some((metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec()))
}
