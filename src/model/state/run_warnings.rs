//! What is wrong with a run as a whole and with no shard of it: its reporter, its results, its hook.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::event_groups::events;
use super::fact::Event;
use super::warning_topic::WarningTopic;
use crate::model::ids::ShardId;

/// Warnings that hold until the run is continued.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunWarnings {
    /// Why the last call of the reporter failed; `None` where it succeeded or there is none.
    pub reporter: Option<ReporterFailure>,
    /// Warnings from before the run began; they hold for all of it.
    pub preflight: Vec<String>,
    /// Shards with results that are those of another one, and one line on each such find.
    repeats: Vec<(BTreeSet<ShardId>, String)>,
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
    /// Rendered command; absent in journals of earlier versions.
    pub command: Option<String>,
    /// Folder in which it ran; absent in journals of earlier versions.
    pub cwd: Option<PathBuf>,
    /// 1-based number of the setup step that failed, where one did.
    pub setup_step: Option<u32>,
}

impl RunWarnings {
    /// Takes one event into account; most change nothing here.
    pub fn apply_event(&mut self, event: &Event) {
        match event {
            // What was wrong with the results of the earlier end is reported again by the next one.
            Event::RunContinued { .. } => {
                *self = Self { preflight: std::mem::take(&mut self.preflight), ..Self::default() };
            }
            Event::PreflightWarned { warnings } => self.preflight.extend(warnings.iter().cloned()),
            Event::EpisodesRepeated { shards, text } => {
                let find = (shards.iter().cloned().collect(), text.clone());
                if !self.repeats.contains(&find) {
                    self.repeats.push(find);
                }
            }
            Event::ReporterEnded { code, message, command, cwd, setup_step, .. } => {
                let failure = ReporterFailure {
                    code: *code,
                    last_line: last_words(message).to_owned(),
                    command: command.clone(),
                    cwd: cwd.clone(),
                    setup_step: *setup_step,
                };
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
            events!(attempts | outcomes | queue | nodes | plan | services | limits | holds | beginnings)
            | Event::StopRequested { .. }
            | Event::Remarked { .. }
            | Event::RunEnded { .. } => {}
        }
    }

    /// Reports whether results that were asked for are missing: the reporter failed, or files could not be written.
    pub fn lacks_results(&self) -> bool {
        self.reporter.is_some() || self.topics.contains_key(&WarningTopic::Results)
    }

    /// Reports whether the shard's episodes are those of another one.
    pub fn is_repeated(&self, shard: &ShardId) -> bool {
        self.repeats.iter().any(|(shards, _)| shards.contains(shard))
    }

    /// Returns a line for each find of results that are the same and should differ.
    pub fn repeat_lines(&self) -> impl Iterator<Item = &str> {
        self.repeats.iter().map(|(_, text)| text.as_str())
    }

    /// Returns a line for each topic: the newest warning, with a count of the others.
    pub fn topic_lines(&self) -> impl Iterator<Item = (WarningTopic, String)> {
        self.topics.iter().map(|(topic, (newest, count))| match count {
            0 | 1 => (*topic, newest.clone()),
            _ => (*topic, format!("{newest} (and {} more)", count - 1)),
        })
    }
}

impl ReporterFailure {
    /// A few words: `reporter failed: exit code 3`, `reporter failed: setup step 2, exit code 127`.
    pub fn to_text(&self) -> String {
        let step = self.setup_step.map_or_else(String::new, |step| format!("setup step {step}, "));
        match self.code {
            Some(code) => format!("reporter failed: {step}exit code {code}"),
            None => format!("reporter failed: {step}{}", self.last_line),
        }
    }
}

/// Returns the last line that the reporter printed, without `bash: line N:`, since the user never wrote such a script.
fn last_words(message: &str) -> &str {
    let line = message.lines().last().unwrap_or_default().trim();
    let behind = line.strip_prefix("bash: line ").and_then(|rest| rest.split_once(": "));
    behind.map_or(line, |(_, words)| words).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setup_step_that_failed_is_named_with_what_the_shell_said() {
        let mut warnings = RunWarnings::default();
        warnings.apply_event(&Event::ReporterEnded {
            code: Some(127),
            message: "bash: line 5: conda: command not found\n".to_owned(),
            command: None,
            cwd: None,
            setup_step: Some(2),
            elapsed: None,
        });
        let failure = warnings.reporter.unwrap();
        assert_eq!(failure.to_text(), "reporter failed: setup step 2, exit code 127");
        assert_eq!(failure.last_line, "conda: command not found");
    }
}
