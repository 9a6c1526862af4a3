//! The patterns a sweep declares itself: progress, the line that ends it, metrics and rules.

use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

use super::error::PatternError;
use super::own_use::Match;
use crate::model::outcome::Progress;
use crate::model::sweep::plan::{MetricSource, MetricSpec, ProgressSpec, Reduce};
use crate::model::sweep::rule::{OwnRuleSpec, RuleSpec};
use crate::progress::remarks::RemarkSeverity;
use crate::progress::text::number::{leading_f64, leading_u64};

/// Position of the pattern for progress in the sweep, for messages.
pub const DONE: &str = "[progress] done";
/// The line that ends it.
pub const FINISHED: &str = "[progress] finished";

/// The patterns of `[progress]`.
#[derive(Debug)]
pub struct OwnProgress {
    done: Option<Regex>,
    finished: Option<Regex>,
    /// How many there are, where the log does not say it.
    pub total: Option<u64>,
    /// True if the program reports its progress in a file too.
    pub has_file: bool,
    /// Plural noun for the units that it counts.
    pub unit: &'static str,
}

/// `Episode (?<done>…`: the word right before the number, with blanks and marks between them at most.
static COUNTS_EPISODES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)episodes?(?:\\[sWb#]|[^a-z\\]){0,16}\(\?P?<done>").expect("a constant pattern")
});

impl OwnProgress {
    /// Compiles the patterns and works out the unit they count, where their format does not say it.
    pub fn compile(spec: &ProgressSpec, unit: Option<&'static str>) -> Result<Self, PatternError> {
        let done = spec.done.as_deref().map(|text| with_group(DONE, text, "done")).transpose()?;
        let finished = spec.finished.as_deref().map(|text| pattern(FINISHED, text)).transpose()?;
        let counts_episodes =
            spec.done.as_ref().is_some_and(|text| COUNTS_EPISODES.is_match(text.as_bytes()));
        let guess = if counts_episodes { "episodes" } else { "done" };
        let unit = unit.filter(|unit| !unit.is_empty()).unwrap_or(guess);
        Ok(Self { done, finished, total: spec.total, has_file: spec.file.is_some(), unit })
    }

    /// Progress is read by an own pattern, and by nothing else.
    pub fn declares_done(&self) -> bool {
        self.done.is_some()
    }

    /// The line that says it is complete is declared, and no other counts.
    pub fn declares_finished(&self) -> bool {
        self.finished.is_some()
    }

    /// Reads the progress from a line, if the pattern matches it.
    pub fn read<'a>(&self, line: &'a [u8]) -> Match<'a, Progress> {
        let Some(found) = self.done.as_ref().and_then(|done| done.captures(line)) else { return Match::None };
        match number(&found, "done") {
            Some(done) => Match::Value(Progress { done, total: number(&found, "total").or(self.total) }),
            None => Match::NoNumber(found.name("done").map_or(line, |group| group.as_bytes())),
        }
    }

    /// The line says that all is complete.
    pub fn says_finished(&self, line: &[u8]) -> bool {
        self.finished.as_ref().is_some_and(|finished| finished.is_match(line))
    }
}

/// A `[[metric]]` section whose values come from the log.
#[derive(Debug)]
pub struct OwnMetric {
    /// Name of the metric.
    pub name: String,
    /// How several values become one.
    pub reduce: Reduce,
    pattern: Regex,
    scale: f64,
}

impl OwnMetric {
    /// Compiles the patterns of the metrics that are read from the log.
    pub fn compile_all(specs: &[MetricSpec]) -> Result<Vec<Self>, PatternError> {
        let of_log = specs.iter().filter_map(|spec| match &spec.source {
            MetricSource::Log { pattern } => Some(Self::compile(spec, pattern)),
            MetricSource::File { .. } => None,
        });
        of_log.collect()
    }

    fn compile(spec: &MetricSpec, text: &str) -> Result<Self, PatternError> {
        let place = metric_place(&spec.name);
        let pattern = match spec.reduce {
            Reduce::Count => pattern(&place, text)?,
            Reduce::Last | Reduce::First | Reduce::Mean | Reduce::Min | Reduce::Max | Reduce::Sum => {
                with_group(&place, text, "value")?
            }
        };
        let scale = spec.scale.unwrap_or(1.0);
        Ok(Self { name: spec.name.clone(), reduce: spec.reduce, pattern, scale })
    }

    /// The value on this line.
    pub fn read<'a>(&self, line: &'a [u8]) -> Match<'a, f64> {
        if self.reduce == Reduce::Count {
            return if self.pattern.is_match(line) { Match::Value(1.0) } else { Match::None };
        }
        let Some(found) = self.pattern.captures(line) else { return Match::None };
        let text = found.name("value").map_or(line, |group| group.as_bytes());
        match found.name("value").and_then(|group| leading_f64(group.as_bytes())) {
            Some(value) => Match::Value(value * self.scale),
            None => Match::NoNumber(text),
        }
    }

    /// The group of its pattern that holds the number; none where lines are counted.
    pub fn group(&self) -> Option<&'static str> {
        (self.reduce != Reduce::Count).then_some("value")
    }

    /// Position of the metric in the sweep, for messages.
    pub fn place(&self) -> String {
        metric_place(&self.name)
    }
}

fn metric_place(name: &str) -> String {
    format!("[[metric]] {name}")
}

/// A `[[rule]]` section with a pattern of the sweep's own.
#[derive(Debug)]
pub struct OwnRule {
    /// Consequence of a matching line for the verdict.
    pub severity: RemarkSeverity,
    /// Text shown when a line matches.
    pub message: String,
    pattern: Regex,
}

impl OwnRule {
    /// Compiles the sweep's own rules; messages number them by their order in the sweep.
    pub fn compile_all(specs: &[RuleSpec]) -> Result<Vec<Self>, PatternError> {
        let own = specs.iter().zip(1..).filter_map(|(spec, number)| match spec {
            RuleSpec::Own(own) => Some(Self::compile(number, own)),
            RuleSpec::BuiltIn(_) => None,
        });
        own.collect()
    }

    fn compile(number: usize, spec: &OwnRuleSpec) -> Result<Self, PatternError> {
        Ok(Self {
            severity: spec.verdict.into(),
            message: spec.message.clone().unwrap_or_else(|| format!("a line matches `{}`", spec.pattern)),
            pattern: pattern(&format!("[[rule]] {number}"), &spec.pattern)?,
        })
    }

    /// The line is what the rule is about.
    pub fn matches(&self, line: &[u8]) -> bool {
        self.pattern.is_match(line)
    }
}

/// Checks that a text is a pattern, and has this group.
pub fn check_pattern(place: &str, text: &str, group: Option<&str>) -> Result<(), PatternError> {
    group.map_or_else(|| pattern(place, text), |group| with_group(place, text, group)).map(|_| ())
}

fn pattern(place: &str, text: &str) -> Result<Regex, PatternError> {
    Regex::new(text).map_err(|error| PatternError::Syntax {
        place: place.to_owned(),
        pattern: text.to_owned(),
        error: Box::new(error),
    })
}

/// A pattern that has this group.
pub(super) fn with_group(place: &str, text: &str, group: &str) -> Result<Regex, PatternError> {
    let regex = pattern(place, text)?;
    if regex.capture_names().flatten().any(|name| name == group) {
        return Ok(regex);
    }
    Err(PatternError::NoGroup { place: place.to_owned(), pattern: text.to_owned(), group: group.to_owned() })
}

fn number(found: &Captures<'_>, group: &str) -> Option<u64> {
    leading_u64(found.name(group)?.as_bytes()).map(|(number, _)| number)
}
