//! What the scheduler remembers in addition to the journal: signs of life, readings of the machine, what was learned of
//! them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;

use crate::model::ids::{AttemptKey, AttemptNumber, ShardId};
use crate::model::state::phase::Live;
use crate::scheduler::admission::reservation::Reservation;
use crate::scheduler::gates::brake::Brake;
use crate::scheduler::input::LoadKind;
use crate::scheduler::learning::knowledge::Knowledge;
use crate::scheduler::services::doubt::DoubtfulEnd;
use crate::scheduler::wall_clock::WallClock;

/// Too fast or too fleeting for the journal. A new supervisor begins with an empty one: silence is then counted
/// from the adoption, warm-up waits for the log to be read again, and the end is asked for once more.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VolatileState {
    /// Some attempt has shown progress, so the warm-up is over.
    pub progress_seen: bool,
    /// Value of `finished` with which `Finish` was last asked for, unless something has come in between.
    pub finish_asked: Option<bool>,
    /// The journal was looked through for what earlier attempts teach.
    pub has_looked_back: bool,
    /// Shards that had ended when comparisons were last looked at.
    pub compared_at: Option<usize>,
    /// Knowledge of the machine, other runs and needs.
    pub knowledge: Knowledge,
    /// When a look at the machine was last asked for: a reading that began later answers it.
    pub look_asked: Option<Timestamp>,
    /// Room that is kept for a shard that has to wait.
    pub kept: Option<Reservation>,
    /// The machine could not start the last attempts that were tried.
    pub brake: Option<Brake>,
    /// The wall clock, where times of it matter.
    pub wall: Option<WallClock>,
    /// Attempts of services whose main process has ended before their holder reports it.
    pub dead_services: BTreeSet<AttemptKey>,
    /// Failed ends of shards that may be the fault of their services.
    pub doubtful_ends: Vec<DoubtfulEnd>,
    signs: BTreeMap<ShardId, LifeSign>,
    courses: BTreeMap<ShardId, LoadInfo>,
}

/// Knowledge of the work of a shard's newest attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadInfo {
    attempt: AttemptNumber,
    /// Place where its work is done; unknown until it was measured for a moment.
    pub load: Option<LoadKind>,
    /// Its silence may be that of a compiler.
    pub may_compile: bool,
}

/// The last sign of life of a shard's newest attempt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LifeSign {
    attempt: AttemptNumber,
    at: Timestamp,
    /// How long the attempt had been paused by then: only pauses after the sign excuse silence.
    paused: Duration,
}

impl VolatileState {
    /// The attempt's last sign of life, where one is known.
    pub fn last_sign(&self, shard: &ShardId, attempt: AttemptNumber) -> Option<LifeSign> {
        self.signs.get(shard).copied().filter(|sign| sign.attempt == attempt)
    }

    /// Takes a sign of life in; true when it is newer than the one known. `paused` is how long the attempt has
    /// been paused so far.
    pub fn record_sign(&mut self, key: &AttemptKey, at: Timestamp, paused: Duration) -> bool {
        let is_news = self.last_sign(&key.shard, key.attempt).is_none_or(|sign| sign.at < at);
        if is_news {
            self.signs.insert(key.shard.clone(), LifeSign { attempt: key.attempt, at, paused });
        }
        is_news
    }

    /// Returns what is known of the attempt's work; before anything is, it may do anything.
    pub fn course(&self, shard: &ShardId, attempt: AttemptNumber) -> LoadInfo {
        self.courses
            .get(shard)
            .copied()
            .filter(|course| course.attempt == attempt)
            .unwrap_or(LoadInfo::for_attempt(attempt))
    }

    /// The same, to be changed; what was known of another attempt is forgotten.
    pub fn course_mut(&mut self, key: &AttemptKey) -> &mut LoadInfo {
        let course = self.course(&key.shard, key.attempt);
        let slot = self.courses.entry(key.shard.clone()).or_insert(course);
        *slot = course;
        slot
    }

    /// Drops what is known of a shard whose attempt ended.
    pub fn forget_shard(&mut self, shard: &ShardId) {
        self.signs.remove(shard);
        self.courses.remove(shard);
    }
}

impl LoadInfo {
    fn for_attempt(attempt: AttemptNumber) -> Self {
        Self { attempt, load: None, may_compile: true }
    }
}

impl LifeSign {
    /// When it was given.
    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// When the attempt will have been silent for `span`, pauses apart; never where time does not reach so far.
    pub fn silent_for(&self, span: Duration, live: &Live) -> Option<Timestamp> {
        let excused = live.paused.saturating_sub(self.paused);
        self.at.checked_add(excused).ok()?.checked_add(span).ok()
    }
}
