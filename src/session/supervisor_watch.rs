//! Watches the supervisor of the run and starts another one when it is gone: a run heals itself.

use std::ffi::OsStr;
use std::hash::{BuildHasher, RandomState};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::thread;
use std::time::{Duration, Instant};

use tracing::info;

use super::relief::Relief;
use crate::process::signal;
use crate::process::start::detach;
use crate::rundir::layout::RunDir;
use crate::rundir::{life, residence};

/// A trivial attempt is over before a first look, and need not pay for it.
const FIRST_LOOK: Duration = Duration::from_millis(200);

/// How often the record is read again while it names no living supervisor.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The holders of a run wait a different time each, so that mostly one starts a supervisor and the others find it.
const SPREAD: Duration = Duration::from_millis(500);

/// A supervisor that cannot work, for example on a full disk, is not started over and over.
const FIRST_RETRY: Duration = Duration::from_secs(2);
const LAST_RETRY: Duration = Duration::from_secs(60);

/// One that ends sooner may have failed at starting.
const WORKS_AFTER: Duration = Duration::from_secs(5);

/// Watch over the supervisor of the holder's run.
#[derive(Debug)]
pub struct SupervisorWatch {
    run: RunDir,
    /// Value that a new supervisor gets, so that it does not inherit the holder's shield.
    oom_score_adj: Option<String>,
    state: SupervisorState,
}

#[derive(Debug)]
enum SupervisorState {
    /// A supervisor lives; the descriptor becomes readable when it ends.
    Watching { pidfd: OwnedFd, since: Instant, healing: Healing },
    /// No living supervisor is known.
    Alone { look: Instant, healing: Healing },
}

/// When a holder starts a supervisor, if none has come to life by then.
#[derive(Debug, Clone, Copy)]
struct Healing {
    at: Instant,
    /// How long to wait after that.
    retry: Duration,
}

impl Healing {
    fn soon_after(now: Instant) -> Self {
        Self { at: now + random_part_of(SPREAD), retry: FIRST_RETRY }
    }

    /// After a start at this moment.
    fn again(self, now: Instant) -> Self {
        Self { at: now + self.retry, retry: (self.retry * 2).min(LAST_RETRY) }
    }

    /// After the end of a supervisor that was seen alive. One that has not worked is no reason to hurry: where each
    /// fails, each holder sees those of the others for a moment, and they would start them without end.
    fn after_end(self, since: Instant, now: Instant) -> Self {
        let soon = Self::soon_after(now);
        if now.duration_since(since) >= WORKS_AFTER {
            soon
        } else {
            Self { at: self.at.max(soon.at), ..self }
        }
    }
}

impl SupervisorWatch {
    /// Begins to watch the run's supervisor.
    pub fn new(run: RunDir, oom_score_adj: Option<String>, now: Instant) -> Self {
        let first = now + FIRST_LOOK;
        let state = SupervisorState::Alone { look: first, healing: Healing::soon_after(first) };
        Self { run, oom_score_adj, state }
    }

    /// Readable when the supervisor has ended, to poll.
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        match &self.state {
            SupervisorState::Watching { pidfd, .. } => Some(pidfd.as_fd()),
            SupervisorState::Alone { .. } => None,
        }
    }

    /// When to call [`Self::on_time`].
    pub fn due(&self) -> Option<Instant> {
        match &self.state {
            SupervisorState::Watching { .. } => None,
            SupervisorState::Alone { look, healing } => Some((*look).min(healing.at)),
        }
    }

    /// The descriptor is readable.
    pub fn on_end(&mut self, now: Instant) {
        let SupervisorState::Watching { since, healing, .. } = &self.state else { return };
        let healing = healing.after_end(*since, now);
        self.state = SupervisorState::Alone { look: now + LOOK_EVERY, healing };
    }

    /// Takes the last look of a holder whose attempt is over: the last process of a run to end leaves a supervisor
    /// behind.
    pub fn ensure_successor(&self, relief: &mut Relief) {
        if life::living_supervisor(&self.run).is_some() {
            return;
        }
        // The exit record is written; no process waits for this one any more.
        thread::sleep(random_part_of(SPREAD));
        if life::living_supervisor(&self.run).is_none() {
            self.start_supervisor(relief);
        }
    }

    /// Looks for a supervisor and, when it is time, starts one.
    pub fn on_time(&mut self, now: Instant, relief: &mut Relief) {
        let SupervisorState::Alone { look, healing } = &mut self.state else { return };
        if now < (*look).min(healing.at) {
            return;
        }
        if let Some(supervisor) = life::living_supervisor(&self.run) {
            match signal::watch_process(&supervisor.process) {
                Ok(pidfd) => {
                    self.state = SupervisorState::Watching { pidfd, since: now, healing: *healing };
                }
                // It ended at this moment, or the kernel has no pidfds: then life is judged by looking.
                Err(_) => (*look, healing.at) = (now + LOOK_EVERY, now + LOOK_EVERY + SPREAD),
            }
            return;
        }
        *look = now + LOOK_EVERY;
        if now >= healing.at {
            *healing = healing.again(now);
            self.start_supervisor(relief);
        }
    }

    fn start_supervisor(&self, relief: &mut Relief) {
        if !life::wants_supervisor(&self.run) {
            return;
        }
        // A supervisor elsewhere cannot be seen from here; one that cannot be asked for now asks itself.
        if residence::refuse_elsewhere(&self.run).is_err_and(|error| error.is_lasting()) {
            return;
        }
        let arguments = [OsStr::new("supervise"), self.run.path().as_os_str()];
        info!("no supervisor lives; starting one");
        // A failure is tried again, and its reason is in the log if there is a disk to write it to.
        let Ok(log) = self.run.supervisor_log().open_append() else { return };
        let score = self.oom_score_adj.as_deref();
        let _ = relief.rest(|| detach::start_self_beside(&arguments, log, score));
    }
}

/// Between nothing and all of it. The standard library seeds its hashers differently in each call and process.
fn random_part_of(whole: Duration) -> Duration {
    let random = RandomState::new().hash_one(std::process::id());
    whole.mul_f64((random % 1000) as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_supervisor_that_works_for_a_moment_is_no_reason_to_hurry() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let tried = Healing::soon_after(begin).again(at(1)).again(at(3));
        assert_eq!((tried.at, tried.retry), (at(7), Duration::from_secs(8)));
        let failed = tried.after_end(at(4), at(5));
        assert_eq!((failed.at, failed.retry), (tried.at, tried.retry), "it waits as long as without it");
        let late = tried.after_end(at(8), at(9));
        assert!((at(9)..=at(9) + SPREAD).contains(&late.at), "its own time has come meanwhile");
        assert_eq!(late.retry, tried.retry);
        let worked = tried.after_end(at(4), at(5) + WORKS_AFTER);
        assert!(worked.at <= at(5) + WORKS_AFTER + SPREAD, "a run heals itself at once");
        assert_eq!(worked.retry, FIRST_RETRY);
    }
}
