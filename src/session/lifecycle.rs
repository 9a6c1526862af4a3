//! Lifecycle of an attempt: running, paused, lingering, being stopped, over.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use tracing::debug;

use super::processes::Processes;
use super::stop::Stop;
use crate::model::command::{HolderReply, HolderRequest};
use crate::model::sweep::plan::Grace;

/// Intervals between scans of the tree after a pause: short until a scan finds nothing running, then ever
/// longer, for processes that leave state D or were continued by others.
const FIRST_WALK: Duration = Duration::from_millis(1);
const LAST_WALK: Duration = Duration::from_secs(1);

/// How long processes that no signal reaches are waited for. Some come out of state D when a slow device answers.
const HOPELESS_AFTER: Duration = Duration::from_secs(5);

/// Looking for strays means to look at every process of the machine.
const LOOK_FOR_STRAYS: Duration = Duration::from_millis(100);

/// Stage of the attempt, and how it is brought to its end.
#[derive(Debug)]
pub struct Lifecycle {
    stage: LifecycleStage,
    linger: Duration,
    grace: Grace,
}

#[derive(Debug)]
enum LifecycleStage {
    Running,
    Paused {
        walk: Instant,
        again: Duration,
    },
    /// The main process has ended and left others behind.
    Lingering {
        until: Instant,
    },
    Stopping {
        stop: Stop,
        /// Since when no signal reaches any of those that are left.
        hopeless: Option<Instant>,
        /// The tree is gone and strays are left, whose end no signal announces: when to look for them again.
        look: Option<Instant>,
    },
    Over,
}

impl Lifecycle {
    /// An attempt whose main process was just started.
    pub fn new(linger: Duration, grace: Grace) -> Self {
        Self { stage: LifecycleStage::Running, linger, grace }
    }

    /// Nothing is left to wait for.
    pub fn is_over(&self) -> bool {
        matches!(self.stage, LifecycleStage::Over)
    }

    /// When to call [`Self::on_time`].
    pub fn due(&self) -> Option<Instant> {
        match &self.stage {
            LifecycleStage::Running | LifecycleStage::Over => None,
            LifecycleStage::Paused { walk, .. } => Some(*walk),
            LifecycleStage::Lingering { until } => Some(*until),
            LifecycleStage::Stopping { stop, look, .. } => {
                Some(look.map_or(stop.due(), |look| look.min(stop.due())))
            }
        }
    }

    /// Does what a client asks.
    pub fn on_request(
        &mut self,
        request: HolderRequest,
        now: Instant,
        processes: &mut Processes,
    ) -> HolderReply {
        match (request, &mut self.stage) {
            (_, LifecycleStage::Over) => refuse_request("the attempt is over"),
            (HolderRequest::Stop(grace), LifecycleStage::Stopping { stop, .. }) => {
                stop.hurry(grace, now);
                self.on_time(now, processes);
                HolderReply::Accepted
            }
            (
                HolderRequest::Stop(grace),
                LifecycleStage::Running | LifecycleStage::Paused { .. } | LifecycleStage::Lingering { .. },
            ) => {
                self.begin_stop(grace, now, processes);
                HolderReply::Accepted
            }
            (HolderRequest::Pause, LifecycleStage::Running) => {
                processes.pause_all();
                self.stage = LifecycleStage::Paused { walk: now + FIRST_WALK, again: FIRST_WALK };
                HolderReply::Accepted
            }
            (HolderRequest::Resume, LifecycleStage::Paused { .. }) => {
                self.stage = LifecycleStage::Running;
                processes.resume_all();
                HolderReply::Accepted
            }
            (HolderRequest::Pause, LifecycleStage::Paused { .. })
            | (HolderRequest::Resume, LifecycleStage::Running) => HolderReply::Accepted,
            (HolderRequest::Pause | HolderRequest::Resume, LifecycleStage::Stopping { .. }) => {
                refuse_request("the attempt is being stopped")
            }
            (HolderRequest::Pause | HolderRequest::Resume, LifecycleStage::Lingering { .. }) => {
                refuse_request("the main process has ended")
            }
        }
    }

    /// Some process has ended.
    pub fn on_end(&mut self, now: Instant, processes: &mut Processes) {
        let main_ended = processes.main_end().is_some();
        match &mut self.stage {
            LifecycleStage::Running | LifecycleStage::Lingering { .. } if processes.nothing_is_left() => {
                self.stage = LifecycleStage::Over
            }
            LifecycleStage::Running | LifecycleStage::Paused { .. } if main_ended => {
                // Stopped processes cannot finish by themselves.
                processes.resume_all();
                self.stage = LifecycleStage::Lingering { until: now + self.linger };
                if processes.nothing_is_left() {
                    self.stage = LifecycleStage::Over;
                }
            }
            // The stop goes on for those that are left, whichever was the first to go.
            LifecycleStage::Stopping { look, .. } if processes.all_gone() => {
                *look = Some(now + LOOK_FOR_STRAYS);
                if !processes.has_strays() {
                    self.stage = LifecycleStage::Over;
                }
            }
            LifecycleStage::Running
            | LifecycleStage::Paused { .. }
            | LifecycleStage::Lingering { .. }
            | LifecycleStage::Stopping { .. }
            | LifecycleStage::Over => {}
        }
    }

    /// The clock has reached [`Self::due`], or perhaps has not.
    pub fn on_time(&mut self, now: Instant, processes: &mut Processes) {
        match &mut self.stage {
            LifecycleStage::Paused { walk, again } if now >= *walk => {
                let complete = processes.pause_tree();
                *again = if complete { LAST_WALK } else { (*again * 2).min(LAST_WALK) };
                *walk = now + *again;
            }
            LifecycleStage::Lingering { until } if now >= *until => {
                self.begin_stop(self.grace, now, processes)
            }
            LifecycleStage::Stopping { look, .. } => {
                if look.is_some_and(|look| now >= look) {
                    self.on_end(now, processes);
                }
                self.stop_further(now, processes);
            }
            LifecycleStage::Running
            | LifecycleStage::Paused { .. }
            | LifecycleStage::Lingering { .. }
            | LifecycleStage::Over => {}
        }
    }

    fn begin_stop(&mut self, grace: Grace, now: Instant, processes: &mut Processes) {
        let paused = matches!(self.stage, LifecycleStage::Paused { .. });
        // Containers may outlive all others, and no signal announces their end.
        let look = processes.all_gone().then_some(now + LOOK_FOR_STRAYS);
        self.stage = LifecycleStage::Stopping { stop: Stop::new(grace, now), hopeless: None, look };
        self.stop_further(now, processes);
        if paused {
            // The signal first: it is what they find when they go on.
            processes.resume_all();
        }
    }

    fn stop_further(&mut self, now: Instant, processes: &mut Processes) {
        let LifecycleStage::Stopping { stop, hopeless, .. } = &mut self.stage else { return };
        let Some(signal) = stop.next(now) else { return };
        debug!("sends {signal:?}");
        let reach = processes.signal_all(signal);
        if reach.found == 0 && processes.all_gone() {
            self.stage = LifecycleStage::Over;
        } else if signal == Signal::KILL && reach.is_hopeless() {
            if now >= *hopeless.get_or_insert(now) + HOPELESS_AFTER {
                processes.remember_left();
                self.stage = LifecycleStage::Over;
            }
        } else {
            *hopeless = None;
        }
    }
}

fn refuse_request(message: &str) -> HolderReply {
    HolderReply::Refused { message: message.to_owned() }
}
