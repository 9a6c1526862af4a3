//! What is wrong with a run as a whole and with no shard of it: its reporter, its results, its hook.

use std::collections::BTreeMap;

use super::fact::Event;
use super::warning_topic::WarningTopic;

/// Warnings that hold until the run is continued.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunWarnings {
    /// Why the last call of the reporter failed; `None` where it succeeded or there is none.
    pub reporter: Option<ReporterFailure>,
    /// By topic, the newest text and how many there were.
    topics: BTreeMap<WarningTopic, (String, usize)>,
}

/// A reporter that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReporterFailure {
    /// Exit code, `None` where it did not exit by itself or could not be started.
    pub code: Option<i32>,
    /// Last line of its output, or why it could not be started.
    pub last_line: String,
    /// Rendered command; journals of earlier versions do not say it.
    pub command: Option<String>,
}

impl RunWarnings {
    /// Takes one event into account; most change nothing here.
    pub fn apply(&mut self, event: &Event) {
        match event {
            // What was wrong with the results of the earlier end is reported again by the next one.
            Event::RunContinued { .. } => *self = Self::default(),
            Event::ReporterEnded { code, message, command, .. } => {
                let last_line = message.lines().last().unwrap_or_default().trim().to_owned();
                let failure = ReporterFailure { code: *code, last_line, command: command.clone() };
                self.reporter = (*code != Some(0)).then_some(failure);
            }
            Event::RunWarned { topic, text } => {
                let (newest, count) = self.topics.entry(*topic).or_default();
                // Results that are written twice have the same thing wrong with them.
                if newest != text {
                    text.clone_into(newest);
                    *count += 1;
                }
            }
            Event::RunCreated { .. }
            | Event::SupervisorStarted { .. }
            | Event::AttemptStarting { .. }
            | Event::AttemptStarted { .. }
            | Event::AttemptAdopted { .. }
            | Event::AttemptPaused { .. }
            | Event::AttemptResumed { .. }
            | Event::AttemptStopping { .. }
            | Event::AttemptPutBack { .. }
            | Event::AttemptEnded { .. }
            | Event::ShardQueued { .. }
            | Event::RequeueUndone { .. }
            | Event::PriorityChanged { .. }
            | Event::PackSplit(_)
            | Event::ShardCancelled { .. }
            | Event::ConditionChanged { .. }
            | Event::ParallelChanged { .. }
            | Event::ReserveChanged { .. }
            | Event::GpusChosen { .. }
            | Event::StartsClosed { .. }
            | Event::StartsOpened { .. }
            | Event::GpuAvoided { .. }
            | Event::ShardsHeld { .. }
            | Event::RunHeld { .. }
            | Event::HoldsReleased { .. }
            | Event::StopRequested { .. }
            | Event::Remarked { .. }
            | Event::RunEnded { .. } => {}
        }
    }

    /// Results that were asked for are missing: the reporter failed, or files could not be written.
    pub fn lacks_results(&self) -> bool {
        self.reporter.is_some() || self.topics.contains_key(&WarningTopic::Results)
    }

    /// One line for each topic, of several warnings the newest.
    pub fn topics(&self) -> impl Iterator<Item = (WarningTopic, String)> {
        self.topics.iter().map(|(topic, (newest, count))| match count {
            0 | 1 => (*topic, newest.clone()),
            _ => (*topic, format!("{newest} (and {} more)", count - 1)),
        })
    }
}

impl ReporterFailure {
    /// A few words: `reporter failed: exit code 3`.
    pub fn words(&self) -> String {
        match self.code {
            Some(code) => format!("reporter failed: exit code {code}"),
            None => format!("reporter failed: {}", self.last_line),
        }
    }
}
