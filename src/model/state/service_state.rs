//! What is true of one instance of a service after the facts about it.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::fact::Event;
use super::phase::{Live, Phase, PhaseKind};
use super::shard_state::ShardState;
use crate::model::ids::{AttemptNumber, ShardId};
use crate::model::outcome::Verdict;
use crate::model::sweep::service::ServiceInstance;

/// Positions from here on are those of services: shards may be added to a run, and services are none of them.
pub const FIRST_SERVICE: usize = 1 << 48;

/// Everything that is true of an instance after the facts so far.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceState {
    /// The instance that this is about.
    pub instance: ServiceInstance,
    /// Its attempts, which run under holders as those of shards do.
    pub life: ShardState,
    /// The attempt that shards may use.
    ready: Option<ReadyAttempt>,
}

/// An attempt that became ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ReadyAttempt {
    attempt: AttemptNumber,
    port: Option<u16>,
    at: Timestamp,
}

/// Phase of an instance, with the data that exists in it.
#[derive(Debug, Clone, Copy, PartialEq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ServicePhase<'a> {
    /// Its start waits for room on the machine, or for the time after a failure.
    Waiting {
        /// Earliest moment at which it may start.
        not_before: Option<Timestamp>,
    },
    /// Its process was started, and shards may not use it yet.
    Starting {
        /// Its process, once there is one.
        live: Option<&'a Live>,
    },
    /// Shards may use it.
    Ready {
        /// The attempt whose process serves.
        live: &'a Live,
        /// The port on which it listens, where it has one.
        port: Option<u16>,
        /// When it became ready.
        since: Timestamp,
    },
    /// Its processes are stopped with SIGSTOP.
    Paused,
    /// Its process was asked to end.
    Stopping,
    /// No shard needs it any more, or the run was stopped.
    Ended,
    /// Its last attempt failed, and it is not started again unless a user asks for it.
    Failed,
}

impl ServicePhase<'_> {
    /// The word used in JSON and on the screen.
    pub fn as_str(&self) -> &'static str {
        self.into()
    }
}

/// Counts the instances in each phase, by the word for the phase.
pub fn count_phases(services: &[ServiceState]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for service in services {
        *counts.entry(service.phase().as_str()).or_default() += 1;
    }
    counts
}

/// Returns the counts by phase for people: `2 ready, 1 starting`; `None` if there are none.
pub fn phase_counts_text(services: &[ServiceState]) -> Option<String> {
    let counts = count_phases(services);
    let words: Vec<String> = counts.into_iter().map(|(word, count)| format!("{count} {word}")).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

impl ServiceState {
    /// An instance that was never started.
    pub fn new(id: ShardId, instance: ServiceInstance, at: Timestamp) -> Self {
        Self { instance, life: ShardState::new(id, at), ready: None }
    }

    /// Returns the id of the instance, which is also the name of its folder.
    pub fn id(&self) -> &ShardId {
        &self.life.id
    }

    /// Takes one event about it into account.
    pub fn apply_event(&mut self, at: Timestamp, event: &Event) {
        if let Event::ServiceReady { attempt, port, .. } = event
            && self.life.is_at(*attempt)
        {
            self.ready = Some(ReadyAttempt { attempt: *attempt, port: *port, at });
        }
        // Where it is it stays, also when it waits to be started again.
        let node = self.life.node.take();
        self.life.apply_event(at, event);
        self.life.node = node;
    }

    /// A shard succeeded with its help: failures before that do not count for its present state.
    pub fn reset_retries(&mut self) {
        self.life.retries = 0;
    }

    /// Returns the phase of the instance, with the data that exists in it.
    pub fn phase(&self) -> ServicePhase<'_> {
        match &self.life.phase {
            Phase::Queued { not_before, .. } => ServicePhase::Waiting { not_before: *not_before },
            Phase::Starting { .. } => ServicePhase::Starting { live: None },
            Phase::Running(live) => match self.ready.filter(|ready| ready.attempt == live.attempt) {
                Some(ready) => ServicePhase::Ready { live, port: ready.port, since: ready.at },
                None => ServicePhase::Starting { live: Some(live) },
            },
            Phase::Paused { .. } => ServicePhase::Paused,
            Phase::Stopping { .. } => ServicePhase::Stopping,
            Phase::Succeeded(_) | Phase::Cancelled { ended: Some(_), .. } => ServicePhase::Ended,
            // Killed by the user, while it waited or while it ran.
            Phase::Cancelled { ended: None, .. } | Phase::Failed { .. } => ServicePhase::Failed,
        }
    }

    /// The port of its newest attempt that became ready.
    pub fn port(&self) -> Option<u16> {
        self.ready.and_then(|ready| ready.port)
    }

    /// Reports whether a process exists or is about to.
    pub fn is_active(&self) -> bool {
        self.life.phase.kind().is_active()
    }

    /// Why it failed last, where it did: also while it waits to be started again.
    pub fn last_failure(&self) -> Option<&str> {
        let newest = self.life.phase.ended().or(self.life.history.last())?;
        let Verdict::Failed(failure) = &newest.outcome.verdict else { return None };
        (self.life.phase.kind() == PhaseKind::Failed || self.life.retries > 0)
            .then_some(failure.message.as_str())
    }
}
