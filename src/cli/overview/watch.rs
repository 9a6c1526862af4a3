//! A run's journal as it grows: the state so far, and a wake-up when there is more.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::model::state::fact::Fact;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunState;
use crate::results::doubts::run_troubles;
use crate::rundir::error::RunDirError;
use crate::rundir::journal::JournalReader;
use crate::rundir::layout::RunDir;
use crate::tail::watcher::Watcher;

/// A run that is over so soon is not watched through inotify: the kernel takes 15 ms to close that, which is more
/// than a few trivial shards take.
const YOUNG: Duration = Duration::from_secs(1);

/// How often the journal of such a run is looked at; a look is one call.
const LOOK: Duration = Duration::from_millis(1);

/// How often it is looked at where it cannot be watched.
const LOOK_UNWATCHED: Duration = Duration::from_millis(200);

/// A journal that is read as it grows.
#[derive(Debug)]
pub struct JournalWatch {
    run: RunDir,
    reader: JournalReader,
    state: RunState,
    begun: Instant,
    watched: WatchMode,
}

/// How the journal is watched.
#[derive(Debug)]
enum WatchMode {
    /// Not watched yet: the journal is looked at now and then.
    NotYet,
    /// The system reports changes of the journal.
    Told { grown: Arc<Notify>, _watcher: Watcher },
    /// The journal cannot be watched.
    Never,
}

impl JournalWatch {
    /// Watches from the first fact on.
    pub fn open(run: &RunDir) -> Self {
        let reader = JournalReader::new(&run.journal_path());
        let state = RunState::default();
        Self { run: run.clone(), reader, state, begun: Instant::now(), watched: WatchMode::NotYet }
    }

    /// The state after all facts read so far.
    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// Reads what came since the last call.
    pub fn catch_up(&mut self) -> Result<Vec<Fact>, CliError> {
        let facts = self.reader.read_new()?;
        for fact in &facts {
            let path = self.run.journal_path();
            self.state.apply_fact(fact).map_err(|source| RunDirError::Fold { path: path.into(), source })?;
        }
        Ok(facts)
    }

    /// Waits until there may be more; what came before this call counts too.
    pub async fn wait_for_growth(&mut self) {
        match &self.watched {
            WatchMode::NotYet if self.begun.elapsed() < YOUNG => sleep(LOOK).await,
            // What was written before the watch began makes no event, so this wait is over at once.
            WatchMode::NotYet => self.watched = watch_journal(&self.run),
            WatchMode::Told { grown, .. } => grown.notified().await,
            WatchMode::Never => sleep(LOOK_UNWATCHED).await,
        }
    }

    /// The run is over.
    pub fn has_ended(&self) -> bool {
        self.state.stage.is_over()
    }
}

fn watch_journal(run: &RunDir) -> WatchMode {
    let grown = Arc::new(Notify::new());
    let wake = Arc::clone(&grown);
    let mut watcher = Watcher::new(move |_| wake.notify_one());
    match watcher.watch_file(&run.journal_path()) {
        Ok(()) => WatchMode::Told { grown, _watcher: watcher },
        Err(_) => WatchMode::Never,
    }
}

/// Returns the exit code for the way a run ended. Missing results are no success, whatever the phases are.
pub fn exit_of(state: &RunState) -> CliExit {
    let unneeded = state.shards.iter().filter(|shard| shard.phase.is_unneeded()).count();
    let all_succeeded = state.count(PhaseKind::Succeeded) + unneeded == state.shards.len();
    if all_succeeded && !state.warnings.lacks_results() { CliExit::Done } else { CliExit::NotAllSucceeded }
}

/// Prints on stderr which results are missing at the end of a run, and what to do.
pub fn complain_of_missing_results(run: &RunDir, state: &RunState) {
    for text in run_troubles::missing_results(state, &run.results_folder()) {
        output::print_message(&text);
    }
}

/// The event loop of the verbs that wait: one thread, because they do nothing but wait.
pub fn block_on<T>(work: impl Future<Output = Result<T, CliError>>) -> Result<T, CliError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(CliError::system("start the event loop"))?
        .block_on(work)
}
