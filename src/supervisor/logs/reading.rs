//! The thread that reads the logs of running attempts and writes their marks to `marks.jsonl`.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;
use tracing::warn;

use super::attempt_log::{LogOfAttempt, Rest};
use crate::model::attempt::ExitRecord;
use crate::model::ids::AttemptKey;
use crate::model::shortage::StartShortage;
use crate::model::sweep::plan::Plan;
use crate::model::sweep::resume::Resume;
use crate::process::shortage;
use crate::progress::reader::rules::LogRules;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::AttemptDir;
use crate::scheduler::input::SchedulerInput;
use crate::supervisor::error::SupervisorError;
use crate::supervisor::event::SupervisorEvent;
use crate::tail::watcher::{FileChange, Watcher};

/// A log is watched only when its attempt is this old: shards that end at once cost no watch.
const WATCH_AFTER: Duration = Duration::from_millis(100);

/// Marks are written and activity is reported at most this often for each attempt.
const FLUSH_EVERY: Duration = Duration::from_millis(200);

/// A log that is silent for so long shows its unfinished line: progress bars end theirs only when they move on.
const GLANCE_AFTER: Duration = Duration::from_secs(1);

/// Progress files are looked at this often: they are small, and programs write them once an episode.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Pause before watching or reading is tried again after it failed.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// A message to the thread.
enum LogRequest {
    /// An attempt runs: follow its log.
    Follow { key: AttemptKey, dir: AttemptDir, adopted: bool },
    /// An attempt has ended: read the rest and report what the log contained.
    Finish { key: AttemptKey, dir: AttemptDir, exit: Box<ExitRecord> },
    /// A watched file changed.
    Changed(FileChange),
}

/// The handle to the thread.
pub(in crate::supervisor) struct LogReading {
    tell: Sender<LogRequest>,
    compiled: Arc<Notify>,
}

impl LogReading {
    /// Starts the thread; what it finds is sent to `event_tx`.
    pub(in crate::supervisor) fn start(
        plan: &Plan,
        event_tx: UnboundedSender<SupervisorEvent>,
    ) -> Result<Self, SupervisorError> {
        let (tell, told) = channel();
        let changes = tell.clone();
        let (progress, metrics, rules) = (plan.progress.clone(), plan.metrics.clone(), plan.rules.clone());
        let (values, resume) = (plan.value_log.clone(), plan.template.resume);
        let ladder = plan.schedule.ladder.clone();
        let reading = Self { tell, compiled: Arc::new(Notify::new()) };
        let compiled = Arc::clone(&reading.compiled);
        let run = move || {
            // Patterns take milliseconds to compile; here the first shards start meanwhile.
            let usable = LogRules::compile(&progress, &metrics, &rules).and_then(|rules| {
                rules
                    .telling_values(&values)?
                    .watching(ladder.iter().filter_map(|step| step.pattern.as_ref()))
            });
            match usable {
                Ok(rules) => {
                    compiled.notify_one();
                    let watcher = Watcher::new(move |change| drop(changes.send(LogRequest::Changed(change))));
                    Thread::new((Arc::new(rules), resume), event_tx, watcher).run(&told);
                }
                Err(error) => drop(event_tx.send(SupervisorEvent::Fatal(error.into()))),
            }
        };
        std::thread::Builder::new()
            .name("logs".to_owned())
            .spawn(run)
            .map_err(SupervisorError::system("start the log reader"))?;
        Ok(reading)
    }

    /// Notified once the patterns of the sweep are compiled; never when they cannot be used.
    pub(in crate::supervisor) fn when_compiled(&self) -> Arc<Notify> {
        Arc::clone(&self.compiled)
    }

    /// Follow the log of a running attempt; an adopted one is read again from its start.
    pub(in crate::supervisor) fn follow_attempt(&self, key: AttemptKey, dir: AttemptDir, adopted: bool) {
        // The thread ends only with the process, so that a send cannot fail while anyone would notice.
        let _ = self.tell.send(LogRequest::Follow { key, dir, adopted });
    }

    /// Read the log of an ended attempt to its end; answered by [`SupervisorEvent::Read`].
    pub(in crate::supervisor) fn finish_attempt(
        &self,
        key: AttemptKey,
        dir: AttemptDir,
        exit: Box<ExitRecord>,
    ) {
        let _ = self.tell.send(LogRequest::Finish { key, dir, exit });
    }
}

struct Thread {
    rules: Arc<LogRules>,
    resume: Resume,
    event_tx: UnboundedSender<SupervisorEvent>,
    watcher: Watcher,
    attempts: HashMap<AttemptKey, LogOfAttempt>,
    by_path: HashMap<PathBuf, AttemptKey>,
    /// When the watch of a young attempt begins.
    watch_at: HashMap<AttemptKey, Instant>,
    /// When an unfinished line is looked at, unless more comes before.
    glance_at: HashMap<AttemptKey, Instant>,
    dirty: HashSet<AttemptKey>,
    /// When a log that could not be read is read again.
    again_at: HashMap<AttemptKey, Instant>,
    /// Ended attempts whose log could not be read to its end yet.
    unfinished: Vec<Unfinished>,
    flushed: Instant,
    /// When progress files are looked at, where the sweep names them.
    look_at: Option<Instant>,
}

/// An ended attempt whose log is read to its end later.
struct Unfinished {
    key: AttemptKey,
    attempt: LogOfAttempt,
    exit: Box<ExitRecord>,
    due: Instant,
}

impl Thread {
    fn new(
        (rules, resume): (Arc<LogRules>, Resume),
        event_tx: UnboundedSender<SupervisorEvent>,
        watcher: Watcher,
    ) -> Self {
        let look_at = rules.has_file().then(Instant::now);
        Self {
            rules,
            resume,
            event_tx,
            watcher,
            attempts: HashMap::new(),
            by_path: HashMap::new(),
            watch_at: HashMap::new(),
            glance_at: HashMap::new(),
            dirty: HashSet::new(),
            again_at: HashMap::new(),
            unfinished: Vec::new(),
            flushed: Instant::now(),
            look_at,
        }
    }

    fn run(mut self, told: &Receiver<LogRequest>) {
        loop {
            match told.recv_timeout(self.time_until_due()) {
                Ok(first) => {
                    self.handle_message(first);
                    while let Ok(more) = told.try_recv() {
                        self.handle_message(more);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.watch_due();
            self.glance_due();
            self.look_due();
            self.dirty.extend(take_due(&mut self.again_at));
            self.finish_due();
            if !self.dirty.is_empty() && self.flushed.elapsed() >= FLUSH_EVERY {
                self.read_dirty();
            }
        }
    }

    /// Returns how long there is nothing to do unless a message comes.
    fn time_until_due(&self) -> Duration {
        let flush = (!self.dirty.is_empty()).then(|| FLUSH_EVERY.saturating_sub(self.flushed.elapsed()));
        let look_at = self.look_at.iter().filter(|_| !self.attempts.is_empty());
        let unfinished = self.unfinished.iter().map(|unfinished| &unfinished.due);
        let due = self.watch_at.values().chain(self.glance_at.values()).chain(self.again_at.values());
        let due = due.chain(look_at).chain(unfinished).min();
        let due = due.map(|due| due.saturating_duration_since(Instant::now()));
        flush.into_iter().chain(due).min().unwrap_or(Duration::from_secs(3600))
    }

    fn handle_message(&mut self, told: LogRequest) {
        match told {
            LogRequest::Follow { key, dir, adopted } => {
                let mut attempt = LogOfAttempt::new(&dir, &self.rules, self.resume, adopted);
                if let Err(error) = attempt.write_begin() {
                    warn!("marks of {key}: {error}");
                }
                self.attempts.insert(key.clone(), attempt);
                self.watch_at.insert(key, Instant::now() + WATCH_AFTER);
            }
            LogRequest::Finish { key, dir, exit } => self.finish_attempt(key, &dir, exit),
            LogRequest::Changed(FileChange::Touched(path)) => {
                if let Some(key) = self.by_path.get(&path) {
                    self.dirty.insert(key.clone());
                }
            }
            LogRequest::Changed(FileChange::Rescan) => self.dirty.extend(self.attempts.keys().cloned()),
        }
    }

    fn watch_due(&mut self) {
        for key in take_due(&mut self.watch_at) {
            let Some(attempt) = self.attempts.get(&key) else { continue };
            let path = attempt.path().to_owned();
            let watched = self.watcher.watch_file(&path);
            let is_first = self.by_path.insert(path, key.clone()).is_none();
            if let Err(error) = watched {
                // Until it can be watched, it is read each time that this is tried.
                self.watch_at.insert(key.clone(), Instant::now() + AGAIN_AFTER);
                if is_first {
                    warn!("{error}; trying again");
                }
            }
            // What was written before the watch began makes no event.
            self.dirty.insert(key);
        }
    }

    fn glance_due(&mut self) {
        for key in take_due(&mut self.glance_at) {
            let Some(attempt) = self.attempts.get_mut(&key) else { continue };
            let before = attempt.signs_of_life();
            if let Err(error) = attempt.write_unfinished() {
                warn!("log of {key}: {error}");
            }
            if let Some(life) = attempt.signs_of_life().filter(|_| attempt.signs_of_life() != before) {
                let _ = self.event_tx.send(SupervisorEvent::Activity { key: key.clone(), life });
            }
            if attempt.is_asking() {
                let _ = self.event_tx.send(SupervisorEvent::Input(SchedulerInput::Asking { key }));
            }
        }
    }

    fn look_due(&mut self) {
        let now = Instant::now();
        if self.look_at.is_none_or(|due| due > now) {
            return;
        }
        self.look_at = Some(now + LOOK_EVERY);
        for (key, attempt) in &mut self.attempts {
            match attempt.look_at_file() {
                Ok(true) => {
                    // A program that writes it is alive, whether it prints anything or not.
                    if let Some(life) = attempt.signs_of_life() {
                        let _ = self.event_tx.send(SupervisorEvent::Activity { key: key.clone(), life });
                    }
                }
                Ok(false) => {}
                Err(error) => warn!("progress file of {key}: {error}"),
            }
        }
    }

    fn read_dirty(&mut self) {
        self.flushed = Instant::now();
        for key in std::mem::take(&mut self.dirty) {
            let Some(attempt) = self.attempts.get_mut(&key) else { continue };
            match attempt.read_some() {
                Ok(read) => {
                    if read.more {
                        self.dirty.insert(key.clone());
                    }
                    if let Some(life) = attempt.signs_of_life().filter(|_| read.some) {
                        self.glance_at.insert(key.clone(), Instant::now() + GLANCE_AFTER);
                        let _ = self.event_tx.send(SupervisorEvent::Activity { key, life });
                    }
                }
                Err(error) => {
                    warn!("log of {key}: {error}");
                    self.again_at.insert(key, Instant::now() + AGAIN_AFTER);
                    self.release_if_short(&error);
                }
            }
        }
    }

    /// Logs hold most of the descriptors, and can do without: what is left of them, others need more.
    fn release_if_short(&mut self, error: &RunDirError) {
        if shortage::find_shortage(error) == Some(StartShortage::Files) {
            self.attempts.values_mut().for_each(LogOfAttempt::release_file);
        }
    }

    fn finish_attempt(&mut self, key: AttemptKey, dir: &AttemptDir, exit: Box<ExitRecord>) {
        let attempt = self
            .attempts
            .remove(&key)
            .unwrap_or_else(|| LogOfAttempt::new(dir, &self.rules, self.resume, true));
        self.dirty.remove(&key);
        self.watch_at.remove(&key);
        self.glance_at.remove(&key);
        self.again_at.remove(&key);
        if self.by_path.remove(attempt.path()).is_some() {
            self.watcher.unwatch(attempt.path());
        }
        let unfinished = Unfinished { key, attempt, exit, due: Instant::now() };
        if let Some((unfinished, error)) = self.read_rest(unfinished) {
            let text = format!("its log cannot be read yet, and is read again: {error}");
            let _ =
                self.event_tx.send(SupervisorEvent::Trouble { about: Some(unfinished.key.clone()), text });
            self.release_if_short(&error);
            self.unfinished.push(unfinished);
        }
    }

    /// Reads a log to its end and reports what it contained; gives it back where that has to wait.
    fn read_rest(&self, mut ended: Unfinished) -> Option<(Unfinished, RunDirError)> {
        match ended.attempt.finish() {
            Rest::Read(Ok(())) => {}
            Rest::Read(Err(error)) => warn!("log of {}: {error}", ended.key),
            Rest::Later(error) => {
                ended.due = Instant::now() + AGAIN_AFTER;
                return Some((ended, error));
            }
        }
        let reading = Box::new(ended.attempt.reading());
        let _ = self.event_tx.send(SupervisorEvent::Read { key: ended.key, reading, exit: ended.exit });
        None
    }

    fn finish_due(&mut self) {
        let now = Instant::now();
        let (due, later) =
            std::mem::take(&mut self.unfinished).into_iter().partition(|ended| ended.due <= now);
        self.unfinished = later;
        let due: Vec<Unfinished> = due;
        for ended in due {
            self.unfinished.extend(self.read_rest(ended).map(|(ended, _)| ended));
        }
    }
}

fn take_due(moments: &mut HashMap<AttemptKey, Instant>) -> Vec<AttemptKey> {
    let now = Instant::now();
    moments.extract_if(|_, due| *due <= now).map(|(key, _)| key).collect()
}
