//! What is true of one instance of a service after the facts about it.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::fact::Event;
use super::ids::{AttemptNumber, ShardId};
use super::outcome::Verdict;
use super::phase::{Live, Phase, PhaseKind};
use super::service::ServiceInstance;
use super::shard_state::ShardState;

/// Positions from here on are those of services: shards may be added to a run, and services are none of them.
pub const FIRST_SERVICE: usize = 1 << 48;

/// What is true of an instance.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceState {
    /// Which instance it is.
    pub instance: ServiceInstance,
    /// Its attempts, which run under holders as those of shards do.
    pub life: ShardState,
    /// The attempt that shards may use.
    ready: Option<Ready>,
}

/// An attempt that became ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ready {
    attempt: AttemptNumber,
    port: Option<u16>,
    at: Timestamp,
}

/// How an instance stands, with what exists then.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ServicePhase<'a> {
    /// Its start waits for room on the machine, or for the time after a failure.
    Waiting {
        /// It is not started before this moment.
        not_before: Option<Timestamp>,
    },
    /// It was started, and shards may not use it yet.
    Starting {
        /// Its process, once there is one.
        live: Option<&'a Live>,
    },
    /// Shards may use it.
    Ready {
        /// Its process.
        live: &'a Live,
        /// Where it listens, where it has a port.
        port: Option<u16>,
        /// Since when.
        since: Timestamp,
    },
    /// Its processes are stopped with SIGSTOP.
    Paused,
    /// It was asked to end.
    Stopping,
    /// No shard needs it any more, or the run was stopped.
    Ended,
    /// It is not started again before a user asks for it.
    Failed,
}

impl ServicePhase<'_> {
    /// The word used in JSON and on the screen.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Waiting { .. } => "waiting",
            Self::Starting { .. } => "starting",
            Self::Ready { .. } => "ready",
            Self::Paused => "paused",
            Self::Stopping => "stopping",
            Self::Ended => "ended",
            Self::Failed => "failed",
        }
    }
}

/// How many instances stand how, by the words for it.
pub fn count_phases(services: &[ServiceState]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for service in services {
        *counts.entry(service.phase().as_str()).or_default() += 1;
    }
    counts
}

/// The same for people: `2 ready, 1 starting`; nothing where there are none.
pub fn counted(services: &[ServiceState]) -> Option<String> {
    let counts = count_phases(services);
    let words: Vec<String> = counts.into_iter().map(|(word, count)| format!("{count} {word}")).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

impl ServiceState {
    /// An instance that was never started.
    pub fn new(id: ShardId, instance: ServiceInstance, at: Timestamp) -> Self {
        Self { instance, life: ShardState::new(id, at), ready: None }
    }

    /// Its name.
    pub fn id(&self) -> &ShardId {
        &self.life.id
    }

    /// Takes one event about it into account.
    pub fn apply(&mut self, at: Timestamp, event: &Event) {
        if let Event::ServiceReady { attempt, port, .. } = event
            && self.life.is_at(*attempt)
        {
            self.ready = Some(Ready { attempt: *attempt, port: *port, at });
        }
        self.life.apply(at, event);
    }

    /// A shard succeeded with its help: failures before that say nothing of its present state.
    pub fn forgive(&mut self) {
        self.life.retries = 0;
    }

    /// How it stands.
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

    /// A process exists or is about to.
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
