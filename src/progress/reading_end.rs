//! What the last lines of a log say about how it ended.

use super::reading::{LogSummary, NO_COMMAND};
use super::text::last_error::LastError;
use super::text::last_words::LastWords;
use super::trouble::job_status::is_terminated;
use super::trouble::uncaught::is_of_user;
use crate::model::logs::mark::Alert;
use crate::model::outcome::{FailureReason, Progress, Proof};

/// What Python warns of when it is ended; more lines may be those of an end.
const MOST_BEHIND_PART: u64 = 3;

impl LogSummary {
    /// The command that was not found, where the log counts nothing and ends with one; before the end it may be one
    /// that only measures.
    pub fn missing_command(&self) -> Option<&Alert> {
        let is_silent = self.progress.is_none_or(|progress| progress.done == 0);
        let is_last = |alert: &&Alert| alert.kind == NO_COMMAND && alert.last_line == self.last_line_number;
        self.alerts.iter().find(is_last).filter(|_| is_silent)
    }

    /// The last line, where it names what was thrown or says that the program failed, and why it did. What is only said
    /// may be about something else where words before it say that all is done.
    pub fn stated_error(&self) -> Option<(FailureReason, Proof)> {
        let last = || self.proof_of_last_line();
        match self.last_words? {
            LastWords::Error(LastError::Thrown) if is_of_user(&self.last_line) => {
                Some((FailureReason::Cancelled, last()))
            }
            LastWords::Error(LastError::Thrown) => Some((FailureReason::Exception, last())),
            LastWords::Error(LastError::Stated) if self.closing.is_none() => {
                Some((FailureReason::ExitCode, last()))
            }
            LastWords::Error(LastError::Stated | LastError::Logged) | LastWords::Code | LastWords::Begins => {
                None
            }
        }
    }

    /// The last line, where it gives a code other than 0, or where its logger calls it an error and nothing was counted.
    pub fn last_error(&self) -> Option<Proof> {
        let is_silent = self.progress.is_none_or(|progress| progress.done == 0);
        match self.last_words? {
            LastWords::Code => Some(self.proof_of_last_line()),
            LastWords::Error(_) => is_silent.then(|| self.proof_of_last_line()),
            LastWords::Begins => None,
        }
    }

    /// The last line, where it announces that work begins.
    pub fn begun_at_the_end(&self) -> Option<Proof> {
        (self.last_words == Some(LastWords::Begins)).then(|| self.proof_of_last_line())
    }

    fn proof_of_last_line(&self) -> Proof {
        Proof { line: self.last_line_number, offset: 0, text: self.last_line.clone() }
    }

    /// Says that the program was told to end, so that its own words behind that are no proof.
    pub fn told_text(&self) -> Option<String> {
        let told = self.told_to_end.as_ref()?;
        let text = &told.text;
        Some(format!("told to end on line {}, so that later words prove nothing: {text}", told.line))
    }

    /// The log stops before its next count could have come, and nothing says that it is over.
    pub fn ends_within_counts(&self) -> bool {
        // The last one may only have begun when it is announced, and end silently.
        let is_last_begun = self.is_open
            && self.progress.is_some_and(|progress| progress.total == progress.done.checked_add(1));
        self.closing.is_none()
            && self.finished.is_none()
            && !is_last_begun
            && self.rhythm.ends_within(self.lines_of_work())
    }

    /// Lines without the warning by which Python cleans up what a killed program left.
    fn lines_of_work(&self) -> u64 {
        self.before_warnings.as_ref().map_or(self.lines, |before| before.line)
    }

    /// The log stops within the next one, which it counts too and which is not the last: the steps of an epoch.
    pub fn ends_within_part(&self) -> bool {
        let lacks = |progress: Progress, next: u64| {
            progress.done > 0
                && progress.total.is_some_and(|total| progress.done.saturating_add(next) < total)
        };
        let (Some(progress), Some(part)) = (self.progress, self.part) else { return false };
        let is_short = match progress.total {
            Some(_) => lacks(progress, 1) && lacks(part, 0),
            // Of rounds whose number is not known any one may be the last, but its own counts go on to its end.
            None => self.part_stride > 0 && lacks(part, self.part_stride),
        };
        let has_ended = self.stops_early || self.closing.is_some() || self.finished.is_some();
        is_short && !has_ended && self.lines <= self.part_line + MOST_BEHIND_PART
    }

    /// The word of the shell that the program was ended by a signal, as the last line or behind the bar that was drawn on
    /// it: `Terminated` by somebody, which before the end may be said of a helper, or `Killed`.
    pub fn termination(&self) -> Option<(FailureReason, &'static str, Proof)> {
        const TERMINATED: (FailureReason, &str) = (FailureReason::Cancelled, "Terminated");
        const KILLED: (FailureReason, &str) = (FailureReason::Signal, "Killed");
        let ends_bar = |before: &str| before.ends_with([']', '\\', '\u{1b}']) || before.ends_with("[A");
        let last = self.before_warnings.clone().unwrap_or_else(|| self.proof_of_last_line());
        // Stars, where it is quoted in bold.
        let line = last.text.trim().trim_matches('*');
        let is_alone = |before: &str| before.is_empty() || before.contains('%') && ends_bar(before);
        let own =
            [TERMINATED, KILLED].into_iter().find(|(_, word)| line.strip_suffix(word).is_some_and(is_alone));
        let (reason, word) = own.or_else(|| is_terminated(line.as_bytes()).then_some(TERMINATED))?;
        Some((reason, word, last))
    }
}
