//! Looks for new files of watched axes, each axis in a task of its own, and reports when a watch is over.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;

use crate::config::templates::paths::absolute_path;
use crate::model::state::watch_end::WatchEnd;
use crate::model::sweep::expansion::AxisWatch;
use crate::model::sweep::plan::Plan;
use crate::supervisor::event::SupervisorEvent;
use crate::tail::matching::FilePattern;
use crate::tail::settling::Settling;

/// The pause between two looks: a checkpoint may well wait that long, and a file server has other work.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// A shorter one would only cost time.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);

/// The watches of a run.
pub(in crate::supervisor) struct AxisWatches(Vec<OneWatch>);

struct OneWatch {
    axis: String,
    /// Files that are dealt with; all others are reported at each look, until they are.
    known: Arc<Mutex<HashSet<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl AxisWatches {
    /// Begins to look, for the axes whose watch has not ended.
    pub(in crate::supervisor) fn begin(
        plan: &Plan,
        unwatched: &[String],
        event_tx: &UnboundedSender<SupervisorEvent>,
    ) -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let expansion = plan.expansion.iter();
        let watches =
            expansion.flat_map(|expansion| expansion.watches.iter().map(move |watch| (expansion, watch)));
        let open = watches.filter(|(_, watch)| !unwatched.contains(&watch.axis));
        let begin = |(expansion, watch): (&crate::model::sweep::expansion::Expansion, &AxisWatch)| {
            let values = expansion.axis(&watch.axis).map(|axis| axis.values.iter().map(ToString::to_string));
            let known = Arc::new(Mutex::new(values.into_iter().flatten().collect::<HashSet<_>>()));
            let looker = FolderPoller::new(watch, &plan.sweep_dir, home.as_deref(), Arc::clone(&known));
            let task = tokio::spawn(look_on(looker, event_tx.clone()));
            OneWatch { axis: watch.axis.clone(), known, task }
        };
        Self(open.map(begin).collect())
    }

    /// These files are dealt with, and are not reported again.
    pub(in crate::supervisor) fn mark_settled(&self, axis: &str, files: &[String]) {
        for watch in self.0.iter().filter(|watch| watch.axis == axis) {
            lock_known(&watch.known).extend(files.iter().cloned());
        }
    }

    /// Looks no more for those whose watch has ended.
    pub(in crate::supervisor) fn end_watches(&mut self, unwatched: &[String]) {
        self.0.retain(|watch| {
            let goes_on = !unwatched.contains(&watch.axis);
            if !goes_on {
                watch.task.abort();
            }
            goes_on
        });
    }
}

/// A task that looks for the files of one axis.
struct FolderPoller {
    watch: AxisWatch,
    pattern: FilePattern,
    until: Option<FilePattern>,
    /// Folders in which files are created or renamed.
    folders: Vec<PathBuf>,
    settling: Settling,
    known: Arc<Mutex<HashSet<String>>>,
    /// When something last came or changed.
    moved: Instant,
    /// The file that ends the watch was seen at the look before; what was complete then has been reported.
    is_done: bool,
}

/// The result of a look.
struct AxisUpdate {
    files: Vec<String>,
    over: Option<WatchEnd>,
}

impl FolderPoller {
    fn new(
        watch: &AxisWatch,
        sweep_dir: &Path,
        home: Option<&Path>,
        known: Arc<Mutex<HashSet<String>>>,
    ) -> Self {
        let pattern = |text: &str, is_short: bool| {
            let whole = absolute_path(text, sweep_dir, home).unwrap_or_else(|_| PathBuf::from(text));
            (FilePattern::new(text, &whole, sweep_dir, is_short), whole)
        };
        let (files, whole) = pattern(&watch.pattern, watch.keeps_folder);
        Self {
            pattern: files,
            until: watch.until.as_deref().map(|until| pattern(until, true).0),
            folders: whole.parent().map(Path::to_owned).into_iter().collect(),
            settling: Settling::new(watch.settle),
            watch: watch.clone(),
            known,
            moved: Instant::now(),
            is_done: false,
        }
    }

    fn poll_interval(&self) -> Duration {
        (self.watch.settle / 4).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
    }

    /// Looks once. A folder that cannot be read now has no new files now.
    fn find_news(&mut self) -> AxisUpdate {
        self.settling.watch_folders(&self.folders);
        // Before the files: what is written before it is found with it.
        let done = self
            .until
            .as_ref()
            .and_then(|until| until.find_matches().ok())
            .and_then(|found| found.into_iter().next());
        let mut files = self.pattern.find_matches().unwrap_or_default();
        {
            let known = lock_known(&self.known);
            files.retain(|(name, _)| !known.contains(name));
        }
        let found = self.settling.check_files(&files, &self.folders);
        if found.is_moving || !found.complete.is_empty() {
            self.moved = Instant::now();
        }
        let is_quiet = found.complete.is_empty() && !self.settling.is_waiting();
        let over = match (&done, self.watch.idle) {
            (Some((file, _)), _) if self.is_done && is_quiet => Some(WatchEnd::Done { file: file.clone() }),
            (_, Some(idle)) if is_quiet && self.moved.elapsed() >= idle => {
                Some(WatchEnd::Idle { after: idle })
            }
            _ => None,
        };
        self.is_done = done.is_some();
        AxisUpdate { files: found.complete, over }
    }
}

async fn look_on(looker: FolderPoller, event_tx: UnboundedSender<SupervisorEvent>) {
    let mut next = looker;
    loop {
        let pause = next.poll_interval();
        // A file server that hangs must not hold up anything else.
        let looked = tokio::task::spawn_blocking(move || {
            let news = next.find_news();
            (next, news)
        });
        let Ok((looker, AxisUpdate { files, over })) = looked.await else { return };
        next = looker;
        let axis = || next.watch.axis.clone();
        let mut heard = Vec::new();
        if !files.is_empty() {
            heard.push(SupervisorEvent::FilesCame { axis: axis(), files });
        }
        heard.extend(over.map(|cause| SupervisorEvent::WatchOver { axis: axis(), cause }));
        if heard.into_iter().any(|news| event_tx.send(news).is_err()) {
            return;
        }
        tokio::time::sleep(pause).await;
    }
}

fn lock_known(known: &Mutex<HashSet<String>>) -> std::sync::MutexGuard<'_, HashSet<String>> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}
