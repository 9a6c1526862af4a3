//! The patterns by which a sweep distinguishes the values of a pack in a log, and what they have found so far.

use std::collections::BTreeMap;

use regex::bytes::{Captures, Regex};

use super::error::PatternError;
use super::own::with_group;
use crate::model::logs::mark::MarkKind;
use crate::model::logs::value_log::{
    LONGEST_VALUE, MOST_VALUES, NAME_SEPARATOR, ValueLog, ValueLogEnd, ValueLogSpec,
};
use crate::model::outcome::Progress;
use crate::progress::reading::shorten;
use crate::progress::text::number::{leading_f64, leading_u64};

/// Groups that are neither metrics nor part of the name of the value.
const OWN_GROUPS: [&str; 2] = ["done", "total"];

/// The patterns of `[pack]`.
#[derive(Debug, Default)]
pub struct OwnValues {
    patterns: Vec<OwnValue>,
}

/// A compiled pattern of `[pack]`.
#[derive(Debug)]
struct OwnValue {
    regex: Regex,
    meaning: ValueStatement,
    /// The groups that name the value.
    names: Vec<String>,
}

/// Kind of statement that a line makes about a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueStatement {
    Done,
    Finished,
    Failed,
}

impl OwnValues {
    /// Reports whether the sweep has no patterns to distinguish values.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Compiles the patterns, and fails on the first invalid one.
    pub fn compile(spec: &ValueLogSpec) -> Result<Self, PatternError> {
        let all = [
            ("[pack] done", &spec.done, ValueStatement::Done),
            ("[pack] finished", &spec.finished, ValueStatement::Finished),
            ("[pack] failed", &spec.failed, ValueStatement::Failed),
        ];
        let declared =
            all.into_iter().filter_map(|(place, text, meaning)| Some((place, text.as_ref()?, meaning)));
        let compiled = declared.map(|(place, text, meaning)| {
            let names: Vec<String> = spec.name_groups().into_iter().map(str::to_owned).collect();
            for name in &names {
                with_group(place, text, name)?;
            }
            let regex =
                with_group(place, text, if meaning == ValueStatement::Done { "done" } else { &names[0] })?;
            Ok(OwnValue { regex, meaning, names })
        });
        Ok(Self { patterns: compiled.collect::<Result<_, PatternError>>()? })
    }
}

/// State of what a log has said of values so far.
#[derive(Debug, Default)]
pub struct ValuesTold {
    /// Values that changed since marks were made, with the place of their newest line.
    changed: BTreeMap<String, u64>,
}

impl ValuesTold {
    /// Takes what the line says of any values; a line may mention several.
    pub fn take(
        &mut self,
        own: &OwnValues,
        line: &[u8],
        offset: u64,
        known: &mut BTreeMap<String, ValueLog>,
    ) {
        for pattern in &own.patterns {
            for found in pattern.regex.captures_iter(line) {
                let Some(name) = pattern.name(&found) else { continue };
                let is_new = !known.contains_key(&name);
                if name.is_empty() || name.len() > LONGEST_VALUE || (is_new && known.len() == MOST_VALUES) {
                    continue;
                }
                let value = known.entry(name.clone()).or_default();
                if pattern.tell(&found, line, value) || is_new {
                    self.changed.insert(name, offset);
                }
            }
        }
    }

    /// Makes a mark of each value that changed since the last call.
    pub fn mark_to(&mut self, known: &BTreeMap<String, ValueLog>, out: &mut Vec<(u64, MarkKind)>) {
        for (name, offset) in std::mem::take(&mut self.changed) {
            if let Some(log) = known.get(&name) {
                out.push((offset, MarkKind::Value { value: name, log: Box::new(log.clone()) }));
            }
        }
    }
}

impl OwnValue {
    /// The value that a line is about; of several axes the names of all of them.
    fn name(&self, found: &Captures<'_>) -> Option<String> {
        let part = |group: &String| Some(shorten(found.name(group)?.as_bytes()));
        let parts = self.names.iter().map(part).collect::<Option<Vec<String>>>()?;
        Some(parts.join(&NAME_SEPARATOR.to_string()))
    }

    /// Updates the value with what was found; true where that is news.
    fn tell(&self, found: &Captures<'_>, line: &[u8], value: &mut ValueLog) -> bool {
        let before = value.clone();
        let number = |group: &str| leading_u64(found.name(group)?.as_bytes()).map(|(number, _)| number);
        match self.meaning {
            ValueStatement::Done => {
                if let Some(done) = number("done") {
                    let total = number("total").or(value.progress.and_then(|progress| progress.total));
                    value.progress = Some(Progress { done, total });
                }
            }
            ValueStatement::Finished if value.end.is_none() => value.end = Some(ValueLogEnd::Finished),
            // What went wrong is not made good by a line that closes every value alike.
            ValueStatement::Finished => {}
            ValueStatement::Failed => value.end = Some(ValueLogEnd::Failed { line: shorten(line) }),
        }
        let is_metric = |name: &&str| !OWN_GROUPS.contains(name) && !self.names.iter().any(|own| own == name);
        for name in self.regex.capture_names().flatten().filter(is_metric) {
            let number = found.name(name).and_then(|group| leading_f64(group.as_bytes()));
            if let Some(number) = number.filter(|number| number.is_finite()) {
                value.metrics.insert(name.to_owned(), number);
            }
        }
        *value != before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> ValueLogSpec {
        ValueLogSpec {
            done: Some(r"reward (?<value>\d+): (?<done>\d+)/(?<total>\d+) return=(?<mean_return>\S+)".into()),
            finished: Some(r"reward (?<value>\d+) finished".into()),
            failed: Some(r"reward (?<value>\d+) diverged".into()),
            axes: Vec::new(),
        }
    }

    #[test]
    fn lines_tell_of_one_value_or_of_several() {
        let own = OwnValues::compile(&spec()).unwrap();
        let (mut told, mut known) = (ValuesTold::default(), BTreeMap::new());
        let lines: [&[u8]; 5] = [
            b"reward 3: 10/100 return=1.5 | reward 4: 10/100 return=nan",
            b"reward 3: 100/100 return=2.5",
            b"reward 3 finished",
            b"reward 4 diverged: loss is inf",
            b"reward 4 finished",
        ];
        for (line, offset) in lines.into_iter().zip(0..) {
            told.take(&own, line, offset, &mut known);
        }
        let done = |done| Some(Progress { done, total: Some(100) });
        let metrics = [("mean_return".to_owned(), 2.5)].into();
        assert_eq!(known["3"], ValueLog { progress: done(100), end: Some(ValueLogEnd::Finished), metrics });
        let line = "reward 4 diverged: loss is inf".to_owned();
        let failed = Some(ValueLogEnd::Failed { line });
        assert_eq!(known["4"], ValueLog { progress: done(10), end: failed, metrics: [].into() });
        assert!(spec().is_complete(&known["3"]) && !spec().is_complete(&known["4"]));
        let mut marks = Vec::new();
        told.mark_to(&known, &mut marks);
        assert_eq!(marks.iter().map(|(offset, _)| *offset).collect::<Vec<_>>(), [2, 3], "the newest of each");
        told.mark_to(&known, &mut marks);
        assert_eq!(marks.len(), 2, "nothing is told twice");
    }

    #[test]
    fn a_value_of_several_axes_is_named_by_all_of_them() {
        let spec = ValueLogSpec {
            done: Some(r"(?<task>\w+) seed (?<seed>\d+): (?<done>\d+) sr=(?<sr>\S+)".into()),
            axes: vec!["task".into(), "seed".into()],
            ..ValueLogSpec::default()
        };
        let own = OwnValues::compile(&spec).unwrap();
        let (mut told, mut known) = (ValuesTold::default(), BTreeMap::new());
        told.take(&own, b"pick seed 3: 10 sr=0.5 | pick seed 4: 11 sr=1", 0, &mut known);
        let names: Vec<&str> = known.keys().map(String::as_str).collect();
        assert_eq!(names, ["pick\t3", "pick\t4"]);
        assert_eq!(known["pick\t3"].metrics, [("sr".to_owned(), 0.5)].into());
        let lacks = ValueLogSpec { done: Some(r"(?<task>\w+) (?<done>\d+)".into()), ..spec };
        assert!(OwnValues::compile(&lacks).unwrap_err().to_string().contains("no group `seed`"));
    }

    #[test]
    fn what_counts_as_complete_follows_the_patterns() {
        let log = |done, total, end| ValueLog {
            progress: Some(Progress { done, total }),
            end,
            ..ValueLog::default()
        };
        let counted = ValueLogSpec { finished: None, ..spec() };
        assert!(counted.is_complete(&log(5, Some(5), None)) && !counted.is_complete(&log(4, Some(5), None)));
        assert!(counted.is_complete(&log(4, None, None)), "no total is known");
        assert!(!spec().is_complete(&log(5, Some(5), None)), "the declared line never came");
        let failures = ValueLogSpec { failed: spec().failed, ..ValueLogSpec::default() };
        assert!(!failures.expects_each() && counted.expects_each());
    }

    #[test]
    fn a_log_cannot_invent_any_number_of_values() {
        let own = OwnValues::compile(&spec()).unwrap();
        let (mut told, mut known) = (ValuesTold::default(), BTreeMap::new());
        for number in 0..MOST_VALUES + 100 {
            told.take(&own, format!("reward {number} finished").as_bytes(), 0, &mut known);
        }
        told.take(&own, format!("reward {} finished", "9".repeat(500)).as_bytes(), 0, &mut known);
        assert_eq!(known.len(), MOST_VALUES);
    }

    #[test]
    fn a_pattern_without_its_groups_is_refused() {
        let spec = ValueLogSpec { done: Some(r"(?<value>\d+)".into()), ..ValueLogSpec::default() };
        assert!(OwnValues::compile(&spec).unwrap_err().to_string().contains("no group `done`"));
        let spec = ValueLogSpec { failed: Some("diverged".into()), ..ValueLogSpec::default() };
        assert!(OwnValues::compile(&spec).unwrap_err().to_string().contains("no group `value`"));
    }
}
