//! The values of a shard's row, from journal, marks and telemetry; unknown ones are `None`.

use std::time::Duration;

use jiff::Timestamp;

use super::track::Track;
use crate::model::ids::ShardId;
use crate::model::logs::stage::Stage;
use crate::model::machine::sample::ShardSample;
use crate::model::outcome::{Energy, Metrics, Progress};
use crate::model::state::phase::Phase;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::plan::Plan;
use crate::model::units::Bytes;
use crate::results::counted_success::shard_successes;
use crate::results::counted_unit::is_of_episodes;
use crate::results::statistics::cost::energy_of_all;
use crate::results::status::silence::{self, ShardLoad};
use crate::results::status::stuck::Listened;
use crate::results::time_left::estimate::Estimate;
use crate::results::time_left::eta::Remaining;
use crate::results::time_left::fellows::Fellows;
use crate::results::time_left::pace::Pace;
use crate::results::time_left::shard_left::{AtWork, Expected};
use crate::tui::model::hardware::machine::{Freshness, MachineHistory, reading_freshness};

/// A shard or service in its present state.
#[derive(Debug, Clone, Copy)]
pub struct ShardRow<'a> {
    /// The shard according to the journal.
    pub state: &'a ShardState,
    /// The shard according to its log and its processes.
    pub track: &'a Track,
    /// The basis for how long it should take.
    pub foresight: Foresight<'a>,
    /// A supervisor reads its log, so that silence is its own.
    pub is_watched: bool,
    /// Its episodes are those of another shard: they count for nothing.
    pub is_repeated: bool,
    /// The moment that is shown.
    pub now: Timestamp,
    /// The cluster that its episodes belong to, such as its training seed.
    pub cluster: Option<u32>,
}

/// How long a shard should take: worked out only where it is asked, because most of a frame does not ask.
#[derive(Debug, Clone, Copy)]
pub struct Foresight<'a> {
    /// Durations that shards have shown so far.
    pub fellows: &'a Fellows,
    /// The sweep after expansion.
    pub plan: &'a Plan,
    /// Position of the shard in the plan; services are not in it.
    pub position: usize,
}

impl Foresight<'_> {
    /// Total, if the sweep or similar shards give one.
    fn expected(self, shard: &ShardId) -> Option<Expected> {
        match self.plan.shards.get(self.position).filter(|spec| spec.id == *shard) {
            Some(spec) => self.fellows.expected(self.position, spec),
            None => self.fellows.typical(),
        }
    }
}

/// An amount of memory and whether it is held now or was the most that was held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryUse {
    /// Memory that is held now.
    Now(Bytes),
    /// The most an ended attempt held.
    Peak(Bytes),
}

impl<'a> ShardRow<'a> {
    /// Marks and samples, where they are about the attempt of the present phase.
    fn current_track(&self) -> Option<&'a Track> {
        let attempt = self.state.phase.attempt()?;
        (self.track.attempt == Some(attempt)).then_some(self.track)
    }

    /// Done of how many; an ended attempt keeps its last.
    pub fn progress(&self) -> Option<Progress> {
        match self.state.phase.ended() {
            Some(ended) => ended.outcome.progress,
            None => self.current_track()?.progress(),
        }
    }

    /// Returns the progress if it counts episodes, as far as the log gives it.
    pub fn episodes_done(&self) -> Option<Progress> {
        self.progress().filter(|_| self.told_unit().is_none_or(is_of_episodes))
    }

    /// Returns the unit that its progress counts, in the plural, as named by its log.
    pub fn told_unit(&self) -> Option<&'a str> {
        match self.state.phase.ended() {
            Some(ended) => ended.outcome.unit.as_deref(),
            None => self.current_track()?.unit.as_deref(),
        }
    }

    /// When the attempt started, where it did.
    pub fn started_at(&self) -> Option<Timestamp> {
        match &self.state.phase {
            Phase::Running(live) | Phase::Paused { live, .. } | Phase::Stopping { live, .. } => {
                Some(live.started)
            }
            Phase::Queued { .. } | Phase::Starting { .. } => None,
            Phase::Succeeded(_) | Phase::Failed { .. } | Phase::Cancelled { .. } => {
                self.state.phase.ended()?.started
            }
        }
    }

    /// The part that is done, 0 to 1, with what is done of the next step.
    pub fn done_fraction(&self) -> Option<f64> {
        self.progress()?.fraction_with(self.partial_progress())
    }

    /// How much of the next one is done that the progress counts.
    pub fn partial_progress(&self) -> Option<Progress> {
        self.current_track().filter(|_| self.state.phase.ended().is_none())?.part
    }

    /// Returns the stage of an attempt that lives.
    pub fn stage(&self) -> Option<&'a Stage> {
        self.current_track().filter(|_| self.state.phase.kind().is_active())?.stage.as_ref()
    }

    /// Done per second: lately, or over the whole of an ended attempt.
    pub fn rate(&self) -> Option<f64> {
        match &self.state.phase {
            Phase::Running(_) | Phase::Stopping { .. } => self.current_track()?.rate(self.now),
            Phase::Succeeded(ended) => {
                let worked = ended.outcome.worked_time()?;
                let seconds = (worked + self.state.worked_before(ended.attempt)).as_secs_f64();
                let done = ended.outcome.progress?.done;
                (seconds > 0.0 && done > 0).then(|| done as f64 / seconds)
            }
            Phase::Queued { .. }
            | Phase::Starting { .. }
            | Phase::Paused { .. }
            | Phase::Failed { .. }
            | Phase::Cancelled { .. } => None,
        }
    }

    /// How long it ran without pauses; nothing before its start.
    pub fn elapsed(&self) -> Option<Duration> {
        self.state.phase.worked_time(self.now)
    }

    /// Returns how long the rest takes, if it goes on as before; that is unknown for one that is stuck.
    pub fn time_left(&self) -> Option<Duration> {
        if self.stuck_for().is_some() { None } else { self.left_when_moving().map(|left| left.time) }
    }

    /// The same, if one that is stuck goes on now.
    fn left_when_moving(&self) -> Option<Estimate> {
        let unread = Pace::default();
        let pace = self.current_track().map_or(&unread, |track| &track.pace);
        let times = (self.listened().lost_time(), self.now);
        let expected = self.foresight.expected(&self.state.id);
        AtWork::of(self.state, pace, (self.progress(), self.partial_progress()), expected, times)?.left()
    }

    /// Returns the work that it still needs, for the end of the run.
    pub fn remaining_work(&self) -> Remaining {
        Remaining {
            left: self.left_when_moving(),
            stuck: self.listened().lost_time(),
            share: self.done_fraction().unwrap_or(0.0),
        }
    }

    /// How long a running attempt has reported nothing, where that is longer than usual for it, or longer
    /// than the sweep allows.
    pub fn stuck_for(&self) -> Option<Duration> {
        self.listened().stuck_for()
    }

    fn listened(&self) -> Listened<'a> {
        let pace = self.current_track().map(|track| &track.pace);
        Listened { shard: self.state, pace, is_watched: self.is_watched, now: self.now }
    }

    /// Returns all metrics, of the ended attempt or so far.
    pub fn metrics(&self) -> Option<&'a Metrics> {
        match self.state.phase.ended() {
            Some(ended) => Some(&ended.outcome.metrics),
            None => Some(&self.current_track()?.metrics),
        }
    }

    /// Returns the value of the metric of that name.
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics()?.get(name).copied()
    }

    /// Successes and the episodes behind them, of a shard that succeeded or is on its way.
    pub fn success_counts(&self) -> Option<(f64, f64)> {
        if self.is_repeated {
            return None;
        }
        shard_successes(self.state.phase.kind(), self.metrics()?, self.episodes_done())
    }

    /// VRAM held now, or the most an ended attempt held.
    pub fn vram(&self) -> Option<MemoryUse> {
        match self.state.phase.ended() {
            Some(ended) => ended.outcome.peaks.vram.map(MemoryUse::Peak),
            None => self.fresh_sample()?.vram_bytes.map(MemoryUse::Now),
        }
    }

    /// Resident memory held now, or the most an ended attempt held.
    pub fn rss(&self) -> Option<MemoryUse> {
        match self.state.phase.ended() {
            Some(ended) => ended.outcome.peaks.rss.map(MemoryUse::Peak),
            None => self.fresh_sample()?.rss_bytes.map(MemoryUse::Now),
        }
    }

    /// Returns the energy that its GPUs used for all its attempts so far.
    pub fn energy(&self) -> Option<Energy> {
        energy_of_all(self.state, self.fresh_sample().and_then(ShardSample::energy))
    }

    /// For how much of the time its GPUs were held back, so far or until its end.
    pub fn throttled_percent(&self) -> Option<f64> {
        match self.state.phase.ended() {
            Some(ended) => ended.outcome.peaks.throttled.map(|throttled| throttled.percent),
            None => {
                let sample = self.fresh_sample()?;
                Some(100.0 * sample.gpu_throttled_s? / sample.gpu_read_s.filter(|read| *read > 0.0)?)
            }
        }
    }

    /// CPU of its processes, 100 being one core.
    pub fn cpu(&self) -> Option<f64> {
        self.fresh_sample()?.cpu_percent
    }

    /// Explains its silence in a sentence with what is measured now.
    pub fn explain_silence(&self, machine: &MachineHistory) -> Option<String> {
        let load = ShardLoad {
            cpu_percent: self.cpu(),
            gpu_percent: machine.max_gpu_utilization(self.state.phase.gpus(), self.now),
        };
        match self.state.shown {
            Some(shown) => silence::describe_silence(shown, load, self.now),
            None => self.stuck_for().map(|stuck| silence::describe_long_silence(stuck, load)),
        }
    }

    /// The newest reading of its processes, where it is not too old to hold.
    pub fn fresh_sample(&self) -> Option<&'a ShardSample> {
        let sample = self.current_track()?.sample.as_ref()?;
        let holds = reading_freshness(Some(sample.timestamp), self.now) == Freshness::Fresh;
        (holds && self.state.phase.kind().is_active()).then_some(sample)
    }
}
