//! The end of an attempt: its log has been read, its results are, and all of it comes to an outcome.

use std::borrow::Cow;

use super::ending::{self, EndedAttempt};
use crate::model::attempt::{AttemptEnd, ExitRecord};
use crate::model::ids::AttemptKey;
use crate::model::logs::value_log::ValueShortfall;
use crate::model::outcome::Outcome;
use crate::progress::files::evidence::FileEvidence;
use crate::progress::files::reading::ResultReading;
use crate::progress::reader::earlier_counts::add_episodes;
use crate::progress::reading::LogSummary;
use crate::progress::trouble::built_in::BuiltInRules;
use crate::rundir::clock;
use crate::scheduler::endings::answers;
use crate::scheduler::input::SchedulerInput;
use crate::supervisor::event_batch::EventBatch;
use crate::supervisor::event_loop::Supervisor;
use crate::supervisor::results::ended_attempt;
use crate::supervisor::results::results_of_attempt::WritingAttempt;

impl Supervisor {
    /// The log has been read; results are read next, unless there are none or nothing ran that could write them.
    pub(in crate::supervisor) fn on_log_read(
        &mut self,
        key: AttemptKey,
        reading: Box<LogSummary>,
        exit: Box<ExitRecord>,
        batch: &mut EventBatch,
    ) {
        let (results, pack) = match exit.end {
            AttemptEnd::Exited { .. } => {
                let (grants, writer) = (self.attempt_grants(&key), self.attempt_writer(&key, &exit));
                (
                    self.executor.attempt_files(&key, &grants).results,
                    self.executor.pack_search(&key, &grants, &writer),
                )
            }
            AttemptEnd::Unseen
            | AttemptEnd::LaunchError { .. }
            | AttemptEnd::PutBack { .. }
            | AttemptEnd::Lost { .. } => (Vec::new(), None),
        };
        if results.is_empty() && pack.is_none() {
            self.on_attempt_ended(key, (&ResultReading::default(), None), &reading, &exit, batch);
        } else {
            let files = (results, self.attempt_writer(&key, &exit));
            self.executor.read_results(key, files, pack, reading, exit);
        }
    }

    /// Returns whose files count as those of the attempt, and since when.
    fn attempt_writer(&self, key: &AttemptKey, exit: &ExitRecord) -> WritingAttempt {
        let shard = self.state().shard(&key.shard);
        let earlier = shard.map(|shard| shard.earlier_of(key.attempt)).unwrap_or_default();
        ended_attempt::writer_of(&self.executor.launcher.run, key, &earlier, exit.started)
    }

    /// The reading with the episodes of the attempts whose work was continued.
    fn with_earlier<'r>(&self, key: &AttemptKey, reading: &'r LogSummary) -> Cow<'r, LogSummary> {
        let resumes = !self.executor.plan().template.resume.is_never();
        let shard = self.state().shard(&key.shard).filter(|_| resumes);
        let earlier = shard.map(|shard| shard.earlier_of(key.attempt)).unwrap_or_default();
        let Some(before) = earlier.last() else { return Cow::Borrowed(reading) };
        let mut whole = reading.clone();
        let asked = self.executor.asked_episodes(key);
        let asked = asked.or_else(|| reading.progress.filter(|_| reading.counts_episodes())?.total);
        add_episodes(&mut whole.metrics, &before.outcome.metrics, asked);
        Cow::Owned(whole)
    }

    pub(in crate::supervisor) fn on_attempt_ended(
        &mut self,
        key: AttemptKey,
        (files, values): (&ResultReading, Option<&ValueShortfall>),
        reading: &LogSummary,
        exit: &ExitRecord,
        batch: &mut EventBatch,
    ) {
        let reading = &*self.with_earlier(&key, reading);
        let rules = BuiltInRules::changed_by(&self.executor.plan().rules);
        let files = FileEvidence::weigh(files, reading, self.executor.asked_episodes(&key), &rules);
        let mut outcome = self.judge_attempt(&key, (&files, values), reading, exit);
        self.reservations.mark_strangers(&mut outcome.memory_holders);
        let wants_look = answers::wants_look(&self.scheduler.policy, &outcome);
        let ended = SchedulerInput::Ended { key, outcome: Box::new(outcome) };
        if wants_look {
            self.pending_ends.add_pending(ended, clock::now());
            self.executor.telemetry.look_now();
        } else {
            batch.inputs.push(ended);
        }
    }

    fn judge_attempt(
        &mut self,
        key: &AttemptKey,
        (files, values): (&FileEvidence, Option<&ValueShortfall>),
        reading: &LogSummary,
        exit: &ExitRecord,
    ) -> Outcome {
        let phase = self.state().shard(&key.shard).map(|shard| shard.phase.clone());
        let grants = self.attempt_grants(key);
        let ending = EndedAttempt {
            exit,
            reading,
            phase: phase.as_ref(),
            files,
            values,
            artifacts: &self.executor.attempt_files(key, &grants).artifacts,
            memory_ran_out: self.executor.telemetry.memory_ran_out_before(exit.ended),
            measured: self.executor.telemetry.untrack_attempt(key),
        };
        ending::judge_ending(&self.executor.attempt_dir(key), ending)
    }
}
