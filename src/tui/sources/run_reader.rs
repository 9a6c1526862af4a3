//! Reads what is new in the files of a run and reports it as messages, and wakes the screen when they change.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime};

use super::log_find::search_result;
use super::log_reader::FollowedLog;
use super::outputs::Outputs;
use super::telemetry_reader::TelemetryReader;
use crate::model::ids::AttemptKey;
use crate::model::shortage::ShortageReport;
use crate::rundir::beat::BeatWatch;
use crate::rundir::journal::JournalReader;
use crate::rundir::layout::RunDir;
use crate::rundir::marks::MarkReader;
use crate::rundir::{life, records, residence, troubles};
use crate::tail::watcher::Watcher;
use crate::tui::message::{LogPiece, MachineNews, Message};
use crate::tui::model::screen::{Model, Supervision};
use crate::tui::model::search::LogSearch;

/// Number of newest ended shards whose course over time is read: the chart draws no more lines.
const MOST_ENDED: usize = 64;

/// A journal that takes about 20 ms to read.
const LONG: u64 = 2 << 20;

/// The readers of a run's files, each where it stopped.
#[derive(Debug)]
pub struct RunReader {
    run: RunDir,
    /// Heartbeat of a run that lives elsewhere.
    beat: Option<BeatWatch>,
    journal: JournalReader,
    marks: HashMap<AttemptKey, MarkReader>,
    complete: HashSet<AttemptKey>,
    log: Option<FollowedLog>,
    waiting: Option<SystemTime>,
    telemetry: TelemetryReader,
    outputs: Outputs,
    /// None where no thread is woken.
    watch: Option<FileWatch>,
}

/// Watches the journal and the log that is shown. Marks and telemetry are read once a second anyway.
#[derive(Debug)]
struct FileWatch {
    watcher: Watcher,
    log: Option<PathBuf>,
    changed: Arc<AtomicBool>,
}

impl RunReader {
    /// Readers at the start of every file.
    pub fn new(run: &RunDir) -> Self {
        Self {
            run: run.clone(),
            beat: residence::is_elsewhere(run).then(|| BeatWatch::new(run, Instant::now())),
            journal: JournalReader::new(&run.journal_path()),
            marks: HashMap::new(),
            complete: HashSet::new(),
            log: None,
            waiting: None,
            telemetry: TelemetryReader::new(run),
            outputs: Outputs::default(),
            watch: None,
        }
    }

    /// The same, which calls `wake` from another thread when the journal or the log that is read changes, once until
    /// the journal is read again.
    pub fn with_wake(run: &RunDir, wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self { watch: Some(FileWatch::new(run, wake)), ..Self::new(run) }
    }

    /// Reading the journal will be felt.
    pub fn is_long(&self) -> bool {
        self.run.journal_path().metadata().is_ok_and(|journal| journal.len() > LONG)
    }

    /// Returns the new facts of the journal, if any.
    pub fn read_journal(&mut self) -> Option<Message> {
        // Before anything is read: what changes from now on wakes again.
        if let Some(watch) = &self.watch {
            watch.take_changed();
        }
        match self.journal.read_new() {
            Ok(facts) => (!facts.is_empty()).then_some(Message::Facts(facts)),
            Err(error) => Some(Message::Trouble(error.to_string())),
        }
    }

    /// New marks of the attempts that run, and once those of ended ones that the screen shows; and what is new of the
    /// files that are only named or dated.
    pub fn read_marks(&mut self, model: &Model) -> Vec<Message> {
        let mut messages = self.outputs.new_messages(&self.run, model);
        let mut ended = Vec::new();
        for shard in &model.state.shards {
            match (shard.phase.attempt(), shard.phase.ended()) {
                (Some(attempt), None) => {
                    messages.extend(self.marks_of(&AttemptKey { shard: shard.id.clone(), attempt }));
                }
                (Some(_), Some(end)) => ended.push((end, shard)),
                (None, _) => {}
            }
        }
        if ended.len() > MOST_ENDED {
            ended.select_nth_unstable_by_key(MOST_ENDED, |(end, _)| Reverse(end.at));
            ended.truncate(MOST_ENDED);
        }
        ended.extend(
            model.selected_shard().and_then(|reading| Some((reading.state.phase.ended()?, reading.state))),
        );
        for (end, shard) in ended {
            let key = AttemptKey { shard: shard.id.clone(), attempt: end.attempt };
            if !self.complete.contains(&key) {
                messages.extend(self.finish_marks(key));
            }
        }
        // A reader keeps its file open, and there may be thousands of attempts in one run.
        self.marks
            .retain(|key, _| model.state.shard(&key.shard).is_some_and(|shard| shard.is_at(key.attempt)));
        messages
    }

    fn finish_marks(&mut self, key: AttemptKey) -> Option<Message> {
        let message = self.marks_of(&key);
        self.marks.remove(&key);
        self.complete.insert(key);
        message
    }

    fn marks_of(&mut self, key: &AttemptKey) -> Option<Message> {
        let dir = self.run.attempt_dir(key);
        // Where its folder is shows once it is made: a node makes it where it runs.
        if !self.marks.contains_key(key) && dir.path().symlink_metadata().is_err() {
            return None;
        }
        let path = dir.marks_path();
        let reader = self.marks.entry(key.clone()).or_insert_with(|| MarkReader::new(&path));
        // Marks that cannot be read now are read at the next look; the journal gives what matters.
        let new = reader.read_new().ok()?;
        let some = new.restarted || !new.marks.is_empty();
        some.then(|| Message::Marks { key: key.clone(), restarted: new.restarted, marks: new.marks })
    }

    /// New readings of the machine of the run, and what its supervisor says of it.
    pub fn read_telemetry(&mut self) -> Vec<Message> {
        let news = self.telemetry.read_news().into_iter();
        let mut messages: Vec<Message> = news.map(MachineNews::of_own_machine).collect();
        messages.extend(self.read_waiting().map(Message::Waiting));
        // It is written in place: what is torn reads at the next look.
        messages.extend(troubles::read_troubles(&self.run).ok().map(Message::Unwritten));
        messages
    }

    /// Returns what queued shards are short of, if that was written again.
    fn read_waiting(&mut self) -> Option<ShortageReport> {
        let path = self.run.waiting_json();
        let written = path.metadata().and_then(|file| file.modified()).ok()?;
        if self.waiting == Some(written) {
            return None;
        }
        // What does not read was written by a newer program.
        let waiting = records::read_record(&path).ok()?;
        self.waiting = Some(written);
        Some(waiting)
    }

    /// Whether a supervisor lives.
    pub fn check_supervisor(&mut self) -> Message {
        let alive = match &mut self.beat {
            Some(beat) => {
                beat.is_beating(Instant::now()).then(|| life::recorded_supervisor(&self.run)).flatten()
            }
            None => life::living_supervisor(&self.run),
        };
        Message::Supervisor(match alive {
            Some(info) => Supervision::Alive { pid: info.process.pid },
            None => Supervision::Missing { looks: 1 },
        })
    }

    /// News of the log that the model shows.
    pub fn read_log(&mut self, model: &Model) -> Option<Message> {
        let message = self.read_shown_log(model);
        if let Some(watch) = &mut self.watch {
            watch.turn_to(self.log.as_ref().map(FollowedLog::path));
        }
        message
    }

    fn read_shown_log(&mut self, model: &Model) -> Option<Message> {
        let Some(key) = model.log.key.as_ref() else {
            self.log = None;
            return None;
        };
        let path = self.run.attempt_dir(key).output_log();
        if self.log.as_ref().is_none_or(|log| log.key() != key || log.path() != path.full_path()) {
            self.log = Some(FollowedLog::new(key.clone(), path));
        }
        let change = self.log.as_mut()?.read_new()?;
        Some(Message::Log { key: key.clone(), change })
    }

    /// Returns the attempt whose log is read now.
    pub fn log_key(&self) -> Option<&AttemptKey> {
        self.log.as_ref().map(FollowedLog::key)
    }

    /// Returns the path of the log that is read now.
    pub fn log_path(&self) -> Option<&Path> {
        self.log.as_ref().map(FollowedLog::path)
    }

    /// Another piece of that log.
    pub fn piece_of_log(&mut self, piece: LogPiece) -> Option<Message> {
        let log = self.log.as_mut()?;
        let change = match piece {
            LogPiece::Before(offset) => log.pieces().read_before(offset),
            LogPiece::After(offset) => log.pieces().read_after(offset),
            LogPiece::Around(offset) => log.pieces().read_around(offset),
            LogPiece::End => log.read_end(),
        };
        Some(Message::Log { key: log.key().clone(), change })
    }

    /// Looks for a text in that log.
    pub fn find_in_log(&self, from: u64, up: bool, search: &LogSearch) -> Option<Message> {
        let log = self.log.as_ref()?;
        let (needle, small) = search.needle();
        Some(match search_result(log.find_text(from, up, (&needle, small)), up, log.path()) {
            Ok(found) => Message::LogFound { key: log.key().clone(), found },
            Err(text) => Message::Told { text, bad: true },
        })
    }
}

impl FileWatch {
    /// Calls `wake` from another thread at the first change since [`Self::take_changed`], once however many there are.
    fn new(run: &RunDir, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let changed = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&changed);
        let mut watcher = Watcher::new(move |_| {
            if !flag.swap(true, Ordering::AcqRel) {
                wake();
            }
        });
        // Without a watch the reader is up to date once it looks by itself, which the screen does each second.
        let _ = watcher.watch_file(&run.journal_path());
        Self { watcher, log: None, changed }
    }

    /// Watches this log and no other one any more.
    fn turn_to(&mut self, log: Option<&Path>) {
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

    /// The next change wakes again. What was written before the last one is read after this.
    fn take_changed(&self) {
        self.changed.swap(false, Ordering::AcqRel);
    }
}
