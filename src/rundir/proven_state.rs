//! The state of a run from its journal, refused where attempts or results prove that the journal lost facts.

use serde::Deserialize;

use super::error::RunDirError;
use super::journal::{self, JournalReader};
use super::layout::RunDir;
use super::machine_wide::discover;
use super::records;
use crate::model::ids::{AttemptKey, AttemptNumber, ShardId};
use crate::model::state::run_state::RunState;
use crate::model::state::shard_state::ShardState;

/// The state after everything that is in the journal now; what else the run holds is not looked at.
pub fn fold_journal(run: &RunDir) -> Result<RunState, RunDirError> {
    let mut state = RunState::default();
    take_new(&mut JournalReader::new(&run.journal_path()), &mut state, run)?;
    match &state.run {
        Some(_) => Ok(state),
        None if run.journal_path().exists() => Err(journal::empty_error(&run.journal_path())),
        None => Err(journal::missing_error(&run.journal_path())),
    }
}

/// Returns the same for callers that start or write something, or report the run's state to a user: an error where
/// another journal belongs to the run, or where facts are missing that announced an attempt or a result.
pub fn read_state(run: &RunDir) -> Result<RunState, RunDirError> {
    let path = run.journal_path();
    let mut state = fold_journal(run)?;
    if state.run.as_ref() != Some(&discover::read_info(run)?.id) {
        return Err(journal::damaged_error(&path, "belongs to another run"));
    }
    // A supervisor at work appends the fact first and makes the folder then: what is found here is read by now.
    let mut reader = JournalReader::new(&path);
    while let Some(key) = find_unannounced(run, &state) {
        state = RunState::default();
        take_new(&mut reader, &mut state, run)?;
        reader = JournalReader::new(&path);
        if newest_attempt(&state, &key.shard) < Some(key.attempt) {
            let problem = format!("has lost facts: {key} is in shards/, and no fact announces it");
            return Err(journal::damaged_error(&path, problem));
        }
    }
    match find_unrecorded(run, &state) {
        Some(shard) => {
            let problem = format!("has lost facts: results/summary.json knows attempts of {shard}");
            Err(journal::damaged_error(&path, problem))
        }
        None => Ok(state),
    }
}

fn take_new(reader: &mut JournalReader, state: &mut RunState, run: &RunDir) -> Result<(), RunDirError> {
    for fact in &reader.read_new()? {
        state
            .apply_fact(fact)
            .map_err(|source| RunDirError::Fold { path: run.journal_path().into(), source })?;
    }
    Ok(())
}

fn newest_attempt(state: &RunState, shard: &ShardId) -> Option<AttemptNumber> {
    state.shard(shard)?.attempt
}

/// An attempt whose folder is there before its fact. Numbers have no gaps, so one look for each shard is enough.
fn find_unannounced(run: &RunDir, state: &RunState) -> Option<AttemptKey> {
    let next = |shard: &ShardState| {
        let attempt = shard.attempt.map_or(AttemptNumber::FIRST, AttemptNumber::next);
        AttemptKey { shard: shard.id.clone(), attempt }
    };
    state.shards.iter().map(next).find(|key| run.own_attempt_folder(key).exists())
}

/// A shard that the results know attempts of and the journal none. Both are compared only where the journal has such
/// shards: results of large runs are large.
fn find_unrecorded(run: &RunDir, state: &RunState) -> Option<ShardId> {
    #[derive(Deserialize)]
    struct SummaryFile {
        shards: Vec<SummaryShard>,
    }
    #[derive(Deserialize)]
    struct SummaryShard {
        id: ShardId,
        attempts: u64,
    }
    if state.shards.iter().all(|shard| shard.attempt.is_some()) {
        return None;
    }
    // A summary that does not read proves nothing.
    let summary: SummaryFile = records::read_if_there(&run.results_folder().join("summary.json")).ok()??;
    let is_lost = |line: &SummaryShard| line.attempts > 0 && newest_attempt(state, &line.id).is_none();
    summary.shards.into_iter().find(is_lost).map(|line| line.id)
}
