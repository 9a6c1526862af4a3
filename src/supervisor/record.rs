//! The journal and the state folded from it, which only change together.

use std::time::Duration;

use jiff::Timestamp;

use super::error::SupervisorError;
use super::log::log;
use crate::model::fact::{Event, Fact};
use crate::model::run_state::RunState;
use crate::rundir::error::RunDirError;
use crate::rundir::journal::{Journal, JournalReader};
use crate::rundir::layout::RunDir;

/// How long to wait before a refused write (a full disk) is tried again.
pub(super) const WRITE_AGAIN: Duration = Duration::from_secs(1);

/// What happened so far, on disk and in memory.
pub(super) struct Record {
    journal: Journal,
    state: RunState,
}

impl Record {
    /// Folds the journal of a run whose lock is held.
    pub(super) fn open(run: &RunDir) -> Result<Self, SupervisorError> {
        let path = run.journal();
        let journal = Journal::open(&path)?;
        let facts = JournalReader::new(&path).read_new()?;
        let state = RunState::fold(&facts).map_err(|source| RunDirError::Fold { path, source })?;
        Ok(Self { journal, state })
    }

    /// What is true now.
    pub(super) fn state(&self) -> &RunState {
        &self.state
    }

    /// Appends and syncs the facts, then takes them into account. A disk that refuses holds up decisions and
    /// nothing else: the shards go on, and the facts are written as soon as the disk takes them.
    pub(super) async fn commit(&mut self, events: Vec<Event>, at: Timestamp) -> Result<(), SupervisorError> {
        if events.is_empty() {
            return Ok(());
        }
        let facts: Vec<Fact> = events.into_iter().map(|event| Fact { at, event }).collect();
        while let Err(error) = self.journal.append(&facts) {
            wait_after(&error).await;
        }
        // By itself, because facts that are appended again would be there twice.
        while let Err(error) = self.journal.sync() {
            wait_after(&error).await;
        }
        for fact in &facts {
            self.state
                .apply(fact)
                .map_err(|source| RunDirError::Fold { path: self.journal.path().to_owned(), source })?;
        }
        Ok(())
    }
}

async fn wait_after(error: &RunDirError) {
    log(&format!("{error}; trying again in {} s", WRITE_AGAIN.as_secs()));
    tokio::time::sleep(WRITE_AGAIN).await;
}
