//! States of single values of a pack in its log, by the patterns that a sweep gives for its lines.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::outcome::{Metrics, Progress};

/// Limit on the values that a log can name, so that it cannot invent any number of them.
pub const MOST_VALUES: usize = 4096;

/// Limit on the length of a value that a log can name, in bytes.
pub const LONGEST_VALUE: usize = 128;

/// Separator between the parts of the name of a value of several axes, in logs and marks.
pub const NAME_SEPARATOR: char = '\t';

/// Patterns of lines about one value of a pack. Each names the value in its group `value`, or with several axes in the
/// groups with their names. Other groups are metrics of that value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueLogSpec {
    /// Pattern of progress of a value: groups `done` and, if the log prints it, `total`.
    pub done: Option<String>,
    /// Pattern of a value that is complete.
    pub finished: Option<String>,
    /// Pattern of a value that went wrong.
    pub failed: Option<String>,
    /// The packed axes, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<String>,
}

/// State of one value by its log so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ValueLog {
    /// How much of it is done.
    pub progress: Option<Progress>,
    /// How the value ended, `None` until the log shows it.
    pub end: Option<ValueLogEnd>,
    /// The newest number of each metric.
    pub metrics: Metrics,
}

/// End of a value as the log reports it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueLogEnd {
    /// The value is complete.
    Finished,
    /// The value went wrong, with the line that shows it.
    Failed {
        /// Text of the line, shortened.
        line: String,
    },
}

impl ValueLog {
    /// Adds what the log has about the same value under another spelling. A value that went wrong stays so.
    pub fn merge_from(&mut self, other: &Self) {
        self.progress = match (self.progress, other.progress) {
            (Some(one), Some(another)) if one.done >= another.done => Some(one),
            (one, another) => another.or(one),
        };
        self.end = match (self.end.take(), &other.end) {
            (Some(ValueLogEnd::Failed { line }), _) => Some(ValueLogEnd::Failed { line }),
            (end, None) => end,
            (Some(ValueLogEnd::Finished) | None, Some(end)) => Some(end.clone()),
        };
        self.metrics.extend(other.metrics.clone());
    }

    /// `10 of 100, finished`.
    pub fn to_text(&self) -> String {
        let count = self.progress.map(|Progress { done, total }| match total {
            Some(total) => format!("{done} of {total}"),
            None => done.to_string(),
        });
        let end = self.end.as_ref().map(|end| match end {
            ValueLogEnd::Finished => "finished".to_owned(),
            ValueLogEnd::Failed { line } => format!("failed: {line}"),
        });
        count.into_iter().chain(end).collect::<Vec<_>>().join(", ")
    }
}

impl ValueLogSpec {
    /// Reports whether the sweep gives no pattern.
    pub fn is_empty(&self) -> bool {
        [&self.done, &self.finished, &self.failed].iter().all(|pattern| pattern.is_none())
    }

    /// The groups that name a value in each pattern.
    pub fn name_groups(&self) -> Vec<&str> {
        if self.axes.is_empty() { vec!["value"] } else { self.axes.iter().map(String::as_str).collect() }
    }

    /// Reports whether a value is missing if the log does not mention it: not so where only failures are
    /// logged.
    pub fn expects_each(&self) -> bool {
        self.done.is_some() || self.finished.is_some()
    }

    /// Reports whether the value is complete by the log. If a pattern is declared for that, it alone counts.
    pub fn is_complete(&self, log: &ValueLog) -> bool {
        match (&log.end, log.progress) {
            (Some(ValueLogEnd::Failed { .. }), _) => false,
            (Some(ValueLogEnd::Finished), _) => true,
            (None, _) if self.finished.is_some() => false,
            (None, Some(Progress { done, total })) => total.is_none_or(|total| done >= total),
            (None, None) => false,
        }
    }
}

/// Values of a pack that have no result although its program reports success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueShortfall {
    /// The packed axis, or all of them.
    pub axis: String,
    /// So many values are in the pack.
    pub values: usize,
    /// Values that neither the files nor the log show to be complete.
    pub missing: Vec<String>,
    /// Values that went wrong by a file or the log.
    pub failed: Vec<String>,
}

impl fmt::Display for ValueShortfall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.missing.len() + self.failed.len();
        write!(formatter, "{count} of {} values of {} have no result:", self.values, self.axis)?;
        let parts = [(&self.missing, "missing"), (&self.failed, "failed")];
        for (number, (values, word)) in parts.iter().filter(|(values, _)| !values.is_empty()).enumerate() {
            write!(formatter, "{} {} {word}", if number == 0 { "" } else { ";" }, join_first_names(values))?;
        }
        Ok(())
    }
}

/// The first of them by name.
fn join_first_names(values: &[String]) -> String {
    const NAMED: usize = 8;
    let first = values.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match values.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortfall_names_its_values() {
        let names =
            |numbers: std::ops::Range<u32>| numbers.map(|number| number.to_string()).collect::<Vec<_>>();
        let short =
            ValueShortfall { axis: "reward".into(), values: 32, missing: names(2..4), failed: names(7..8) };
        assert_eq!(short.to_string(), "3 of 32 values of reward have no result: 2, 3 missing; 7 failed");
        let many = ValueShortfall { missing: names(0..10), failed: Vec::new(), ..short };
        assert_eq!(
            many.to_string(),
            "10 of 32 values of reward have no result: 0, 1, 2, 3, 4, 5, 6, 7 and 2 more missing"
        );
    }
}
