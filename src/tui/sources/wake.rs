//! Wakes the screen when a file of the run changes, once however many changes there are.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::rundir::layout::RunDir;
use crate::tail::watcher::Watcher;

/// Watches the journal and the log that is shown. Marks and telemetry are read once a second anyway.
#[derive(Debug)]
pub struct Wake {
    watcher: Watcher,
    log: Option<PathBuf>,
    changed: Arc<AtomicBool>,
}

impl Wake {
    /// Calls `wake` from another thread at the first change since [`Self::take_changed`].
    pub fn new(run: &RunDir, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let changed = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&changed);
        let mut watcher = Watcher::new(move |_| {
            if !flag.swap(true, Ordering::AcqRel) {
                wake();
            }
        });
        // Without a watch the screen is up to date once a second, which is still a screen.
        let _ = watcher.watch_file(&run.journal_path());
        Self { watcher, log: None, changed }
    }

    /// Watches this log and no other one any more.
    pub fn turn_to(&mut self, log: Option<&Path>) {
        if self.log.as_deref() == log {
            return;
        }
        if let Some(old) = self.log.take() {
            self.watcher.unwatch(&old);
        }
        if let Some(new) = log
            && self.watcher.watch_file(new).is_ok()
        {
            self.log = Some(new.to_owned());
        }
    }

    /// Something has changed since the last call.
    pub fn take_changed(&self) -> bool {
        self.changed.swap(false, Ordering::AcqRel)
    }
}
