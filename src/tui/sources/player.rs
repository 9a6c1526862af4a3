//! Plays the files of a run: their contents up to a moment, given as the same messages that a live run gives.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use jiff::Timestamp;

use super::log_find::search_result;
use super::machine_tapes::MachineTapes;
use super::past_log::PastLog;
use crate::model::ids::AttemptKey;
use crate::model::logs::mark::Mark;
use crate::model::state::fact::Fact;
use crate::model::sweep::node_spec::NodeSpec;
use crate::rundir::error::RunDirError;
use crate::rundir::journal::JournalReader;
use crate::rundir::layout::RunDir;
use crate::rundir::marks::MarkReader;
use crate::rundir::telemetry;
use crate::tui::message::{LogPiece, Message};
use crate::tui::model::screen::Model;
use crate::tui::model::search::LogSearch;

/// Number of newest ended shards whose course is given: the chart draws no more lines.
const MOST_ENDED: usize = 64;

/// A run that is played.
#[derive(Debug)]
pub struct Player {
    run: RunDir,
    facts: Vec<Fact>,
    machines: Vec<MachineTapes>,
    marks: HashMap<AttemptKey, Marks>,
    /// Everything up to this moment was given.
    told: Option<Timestamp>,
    /// The log that the screen shows.
    log: Option<PastLog>,
}

/// The marks of an attempt, and how many of them were given.
#[derive(Debug)]
struct Marks {
    marks: Vec<Mark>,
    told: usize,
}

impl Player {
    /// Reads the journal of the run as far as it goes.
    pub fn open(run: &RunDir, nodes: &[NodeSpec]) -> Result<Self, RunDirError> {
        let mut journal = JournalReader::new(&run.journal_path());
        let mut facts = Vec::new();
        loop {
            let more = journal.read_new()?;
            if more.is_empty() {
                break;
            }
            facts.extend(more);
        }
        Ok(Self {
            run: run.clone(),
            machines: MachineTapes::of_run(run, nodes, &facts),
            facts,
            marks: HashMap::new(),
            told: None,
            log: None,
        })
    }

    /// The last moment of which anything is known: of a run that died, the last reading of its machine.
    pub fn last_moment(&self) -> Option<Timestamp> {
        let read = telemetry::read_latest(&self.run).ok().and_then(|latest| latest.host);
        self.facts.last().map(|fact| fact.at).max(read.map(|host| host.timestamp))
    }

    /// Returns the moment up to which everything was given.
    pub fn played_until(&self) -> Option<Timestamp> {
        self.told
    }

    /// Returns the attempt whose log is shown.
    pub fn log_key(&self) -> Option<&AttemptKey> {
        self.log.as_ref().map(PastLog::key)
    }

    /// Returns what happened and was measured up to that moment, which may lie before what was given.
    pub fn play_to(&mut self, to: Timestamp) -> Vec<Message> {
        let mut messages = Vec::new();
        let until = self.facts.partition_point(|fact| fact.at <= to);
        let known = match self.told.filter(|told| *told <= to) {
            Some(told) => {
                let since = self.facts.partition_point(|fact| fact.at <= told);
                if until > since {
                    messages.push(Message::Facts(self.facts[since..until].to_vec()));
                }
                told
            }
            None => {
                self.marks.clear();
                self.log = None;
                messages.push(Message::Rewound(self.facts[..until].to_vec()));
                messages.extend(self.machines.iter().filter_map(MachineTapes::read_inventory));
                Timestamp::MIN
            }
        };
        for machine in &mut self.machines {
            messages.extend(machine.play_between(known, to));
        }
        self.told = Some(to);
        messages
    }

    /// The marks up to that moment of the attempts that the model shows.
    pub fn read_marks(&mut self, model: &Model, to: Timestamp) -> Vec<Message> {
        let wanted = shown_attempts(model);
        self.marks.retain(|key, _| wanted.contains(key));
        wanted.into_iter().filter_map(|key| self.marks_of(key, to)).collect()
    }

    fn marks_of(&mut self, key: AttemptKey, to: Timestamp) -> Option<Message> {
        let path = self.run.attempt_dir(&key).marks_path();
        let marks = self.marks.entry(key.clone()).or_insert_with(|| {
            let read = MarkReader::new(&path).read_new();
            Marks { marks: read.map(|new| new.marks).unwrap_or_default(), told: 0 }
        });
        let until = marks.marks.partition_point(|mark| mark.at <= to);
        let new = marks.marks.get(marks.told..until).filter(|new| !new.is_empty())?.to_vec();
        let restarted = marks.told == 0;
        marks.told = until;
        Some(Message::Marks { key, restarted, marks: new })
    }

    /// News of the log that the model shows: of an attempt that is over all of it, else up to the last line of which
    /// the time is known, because lines themselves have none.
    pub fn read_log(&mut self, model: &Model) -> Option<Message> {
        let key = model.log.key.clone()?;
        if self.log.as_ref().is_none_or(|log| *log.key() != key) {
            self.log = Some(PastLog::new(key.clone(), self.run.attempt_dir(&key).output_log()));
        }
        let log = self.log.as_mut()?;
        let marks = self.marks.get(&key);
        let last = marks.and_then(|marks| marks.marks.get(marks.told.checked_sub(1)?));
        let change = if model.selected_shard().is_some_and(|reading| reading.state.phase.ended().is_some()) {
            log.show_all()
        } else {
            match last {
                Some(mark) => log.show_line_at(mark.offset),
                None => log.show_up_to(0),
            }
        };
        Some(Message::Log { key, change: change? })
    }

    /// Another piece of that log.
    pub fn piece_of_log(&mut self, piece: LogPiece) -> Option<Message> {
        let log = self.log.as_mut()?;
        let change = log.read_piece(piece);
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

    /// Returns the path of the log that is shown.
    pub fn log_path(&self) -> Option<&Path> {
        self.log.as_ref().map(PastLog::path)
    }
}

/// The attempts that are at work, the newest of those that ended, and the selected one.
fn shown_attempts(model: &Model) -> HashSet<AttemptKey> {
    let mut shown = HashSet::new();
    let mut ended = Vec::new();
    for shard in &model.state.shards {
        let Some(attempt) = shard.phase.attempt() else { continue };
        let key = AttemptKey { shard: shard.id.clone(), attempt };
        match shard.phase.ended() {
            None => _ = shown.insert(key),
            Some(end) => ended.push((end.at, key)),
        }
    }
    ended.sort_by_key(|(at, _)| Reverse(*at));
    shown.extend(ended.into_iter().take(MOST_ENDED).map(|(_, key)| key));
    shown.extend(model.selected_attempt());
    shown
}
