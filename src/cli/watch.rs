//! A run's journal as it grows: the state so far, and a wake-up when there is more.

use std::sync::Arc;

use tokio::sync::Notify;

use super::error::CliError;
use super::exit_code::Exit;
use crate::model::fact::Fact;
use crate::model::phase::PhaseKind;
use crate::model::run_state::{RunStage, RunState};
use crate::rundir::error::RunDirError;
use crate::rundir::journal::JournalReader;
use crate::rundir::layout::RunDir;
use crate::tail::watcher::Watcher;

/// A journal that is read as it grows.
#[derive(Debug)]
pub struct Watch {
    run: RunDir,
    reader: JournalReader,
    state: RunState,
    grown: Arc<Notify>,
    _watcher: Watcher,
}

impl Watch {
    /// Watches from the first fact on.
    pub fn open(run: &RunDir) -> Result<Self, CliError> {
        let grown = Arc::new(Notify::new());
        let wake = Arc::clone(&grown);
        let mut watcher = Watcher::new(move |_| wake.notify_one());
        watcher.watch_file(&run.journal()).map_err(|error| CliError::unreachable(error.to_string()))?;
        let reader = JournalReader::new(&run.journal());
        Ok(Self { run: run.clone(), reader, state: RunState::default(), grown, _watcher: watcher })
    }

    /// The state after all facts read so far.
    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// Reads what came since the last call.
    pub fn catch_up(&mut self) -> Result<Vec<Fact>, CliError> {
        let facts = self.reader.read_new()?;
        for fact in &facts {
            let path = self.run.journal();
            self.state.apply(fact).map_err(|source| RunDirError::Fold { path, source })?;
        }
        Ok(facts)
    }

    /// Waits until there may be more; what came before this call counts too.
    pub async fn grown(&self) {
        self.grown.notified().await;
    }

    /// The run is over.
    pub fn has_ended(&self) -> bool {
        match self.state.stage {
            RunStage::Ended { .. } => true,
            RunStage::Active | RunStage::Draining | RunStage::Stopping => false,
        }
    }
}

/// The exit code that tells how a run ended.
pub fn exit_of(state: &RunState) -> Exit {
    if state.count(PhaseKind::Succeeded) == state.shards.len() { Exit::Done } else { Exit::NotAllSucceeded }
}

/// The event loop of the verbs that wait: one thread, because they do nothing but wait.
pub fn block_on<T>(work: impl Future<Output = Result<T, CliError>>) -> Result<T, CliError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(CliError::system("start the event loop"))?
        .block_on(work)
}
