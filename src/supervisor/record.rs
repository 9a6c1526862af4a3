//! The journal and the state folded from it, which only change together.

use std::time::Duration;

use jiff::Timestamp;
use tracing::{debug, warn};

use super::error::SupervisorError;
use super::write_troubles::WriteWatch;
use crate::model::state::fact::{Event, Fact};
use crate::model::state::run_state::RunState;
use crate::model::state::write_trouble::WriteTarget;
use crate::rundir::create;
use crate::rundir::error::RunDirError;
use crate::rundir::journal::Journal;
use crate::rundir::layout::RunDir;
use crate::rundir::proven_state;

/// How long to wait before a refused write (a full disk) is tried again.
const WRITE_AGAIN: Duration = Duration::from_secs(1);

/// The facts of the run so far, on disk and in memory.
pub(super) struct Record {
    run: RunDir,
    journal: Journal,
    state: RunState,
    is_synced: bool,
    /// The files without which the journal could not be read survive a power cut too.
    is_durable: bool,
    writes: WriteWatch,
}

impl Record {
    /// Folds the journal of a run whose lock is held.
    pub(super) fn open(run: &RunDir) -> Result<Self, SupervisorError> {
        // Before anything is written: a run that lost facts is left as it is.
        let state = proven_state::read_state(run)?;
        let journal = Journal::open(&run.journal_path())?;
        // The first fact was appended by the process that made the run.
        let writes = WriteWatch::open(run);
        Ok(Self { run: run.clone(), journal, state, is_synced: false, is_durable: false, writes })
    }

    /// Returns the watch over everything that is written for the run.
    pub(super) fn writes(&self) -> WriteWatch {
        self.writes.clone()
    }

    /// Returns the state that the facts add up to.
    pub(super) fn state(&self) -> &RunState {
        &self.state
    }

    /// Appends the facts and takes them into account. A disk that refuses holds up decisions and nothing else: the
    /// shards go on, and the facts are written as soon as the disk takes them.
    pub(super) async fn append_events(
        &mut self,
        events: Vec<Event>,
        at: Timestamp,
    ) -> Result<(), SupervisorError> {
        self.append_facts(events.into_iter().map(|event| Fact::new(at, event)).collect()).await
    }

    /// The same for facts that have their moments already.
    pub(super) async fn append_facts(&mut self, facts: Vec<Fact>) -> Result<(), SupervisorError> {
        if facts.is_empty() {
            return Ok(());
        }
        loop {
            let appended = self.journal.append_facts(&facts);
            self.writes.note_outcome(WriteTarget::Journal, &appended);
            match appended {
                Ok(()) => break,
                Err(error) if error.is_lasting() => return Err(error.into()),
                Err(error) => wait_after(&error).await,
            }
        }
        self.is_synced = false;
        for fact in &facts {
            debug!("fact: {:?}", fact.event);
            self.state
                .apply_fact(fact)
                .map_err(|source| RunDirError::Fold { path: self.journal.path().clone().into(), source })?;
        }
        Ok(())
    }

    /// Makes the facts survive a power cut: before the effects that they announce, and before any client gets
    /// its reply.
    pub(super) async fn sync(&mut self) {
        while !self.is_synced {
            let synced = self.sync_once();
            self.writes.note_outcome(WriteTarget::Journal, &synced);
            match synced {
                Ok(()) => self.is_synced = true,
                Err(error) => wait_after(&error).await,
            }
        }
    }
}

impl Record {
    fn sync_once(&mut self) -> Result<(), RunDirError> {
        self.journal.sync()?;
        if !self.is_durable {
            create::sync_run(&self.run)?;
            self.is_durable = true;
        }
        Ok(())
    }
}

/// Reports a refused write, and waits until it is worth another try.
pub(super) async fn wait_after(error: &RunDirError) {
    warn!("{error}; trying again in {} s", WRITE_AGAIN.as_secs());
    tokio::time::sleep(WRITE_AGAIN).await;
}

#[cfg(test)]
mod tests;
