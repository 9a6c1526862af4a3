//! Reads the file of a log format: its lines, its patterns, and examples of what it reads.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

use crate::model::logs::log_format::{
    CountLine, EndLine, LogFormat, MetricLine, OwnFormat, TextLine, Texts, ValueLine, WorkBar,
};
use crate::model::results::metric_spec::{MetricSource, MetricSpec, Reduce};
use crate::progress::formats::plain::format_needles::count_texts;
use crate::progress::formats::plain::line_texts::MOST_TEXTS;
use crate::progress::patterns::own::check_pattern;

/// What the file of a format says.
#[derive(Debug, Clone, PartialEq)]
pub struct FormatFile {
    /// The format.
    pub format: OwnFormat,
    /// Pieces of logs, each with what the format reads of it.
    pub examples: Vec<Example>,
}

/// A piece of a log, and what a format reads of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Line of the file at which the example begins.
    pub line: usize,
    /// What it expects.
    pub expected: ExampleTable,
}

/// An `[[example]]`; what it does not give is not compared.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExampleTable {
    /// The piece of a log.
    pub log: String,
    /// Progress at its end: `3` or `3/10`.
    pub progress: Option<String>,
    /// The verdict of `scan`.
    pub verdict: Option<String>,
    /// Some of the metrics.
    #[serde(default)]
    pub metrics: BTreeMap<String, f64>,
}

/// A mistake in the file of a format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct FormatFileError {
    /// Line of the file, counted from 1.
    pub line: usize,
    /// Description of the mistake and of what to do.
    pub message: String,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Document {
    unit: Option<String>,
    needs_finish: bool,
    done: Vec<Spanned<CountLine>>,
    total: Vec<Spanned<ValueLine>>,
    finished: Vec<Spanned<EndLine>>,
    signature: Vec<Spanned<TextLine>>,
    metric: Vec<Spanned<MetricTable>>,
    bar: Option<WorkBar>,
    progress: Patterns,
    example: Vec<Spanned<ExampleTable>>,
}

/// `[progress]`, as in a sweep.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Patterns {
    done: Option<Spanned<String>>,
    total: Option<u64>,
    finished: Option<Spanned<String>>,
}

/// A `[[metric]]`, which follows a text or, as in a sweep, is the group of a pattern.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MetricTable {
    name: String,
    before: Option<String>,
    #[serde(default)]
    with: Texts,
    #[serde(default)]
    percent: bool,
    pattern: Option<Spanned<String>>,
    reduce: Option<Reduce>,
    unit: Option<String>,
    scale: Option<f64>,
}

impl FormatFile {
    /// Reads the text of a file.
    pub fn parse(source: &str) -> Result<Self, FormatFileError> {
        let mistake = |span: Range<usize>, message: String| {
            let before = &source.as_bytes()[..span.start.min(source.len())];
            FormatFileError { line: memchr::memchr_iter(b'\n', before).count() + 1, message }
        };
        let document: Document = toml::from_str(source).map_err(|error| {
            mistake(error.span().unwrap_or_default(), error.message().trim_end().replace('\n', ", "))
        })?;
        let line_of = |span| mistake(span, String::new()).line;
        let examples = document
            .example
            .iter()
            .map(|example| Example { line: line_of(example.span()), expected: example.get_ref().clone() });
        let examples = examples.collect();
        let format = document.into_format().map_err(|(span, message)| mistake(span, message))?;
        Ok(Self { format, examples })
    }
}

/// A place in the file, and what is wrong there.
type Mistake = (Range<usize>, String);

impl Document {
    fn into_format(self) -> Result<OwnFormat, Mistake> {
        self.done
            .iter()
            .try_for_each(|line| check_count(line.get_ref()).map_err(|text| (line.span(), text)))?;
        let done = check_pattern_at("[progress] done", self.progress.done, Some("done"))?;
        let finished = check_pattern_at("[progress] finished", self.progress.finished, None)?;
        let mut metrics = Vec::new();
        let mut lines = Vec::new();
        for metric in self.metric {
            let span = metric.span();
            match metric.into_inner().sort(&span)? {
                MetricForm::Pattern(spec) => metrics.push(spec),
                MetricForm::Line(line) => lines.push(Spanned::new(span, line)),
            }
        }
        let counts_lines = !self.done.is_empty() || self.bar.is_some();
        if let (Some(line), true) = (self.done.first(), done.is_some()) {
            let message = "`[progress] done` and `[[done]]` both count: keep one of them".to_owned();
            return Err((line.span(), message));
        }
        let unit = self.unit.unwrap_or_else(|| if counts_lines { "done".to_owned() } else { String::new() });
        let lines = LogFormat {
            unit,
            done: checked(self.done, |line| (line.text(), &line.with, line.then.as_ref()))?,
            total: checked(self.total, |line| (&line.before, &line.with, line.times.as_ref()))?,
            finished: checked(self.finished, |line| (&line.text, &line.with, None))?,
            signature: checked(self.signature, |line| (&line.text, &line.with, None))?,
            metric: checked(lines, |line| (&line.before, &line.with, None))?,
            bar: self.bar,
            needs_finish: self.needs_finish,
        };
        if count_texts(&lines) > MOST_TEXTS {
            return Err((
                0..0,
                format!("a format may have {MOST_TEXTS} different texts, and this one has more"),
            ));
        }
        Ok(OwnFormat { lines, done, total: self.progress.total, finished, metrics })
    }
}

/// The lines, none of which has an empty text: that would be on every line of a log.
fn checked<T>(
    lines: Vec<Spanned<T>>,
    texts: impl Fn(&T) -> (&str, &Texts, Option<&String>),
) -> Result<Vec<T>, Mistake> {
    for line in &lines {
        let (text, with, other) = texts(line.get_ref());
        if text.is_empty() || with.as_slice().iter().chain(other).any(String::is_empty) {
            let message = "an empty text is on every line: write one that the program prints".to_owned();
            return Err((line.span(), message));
        }
    }
    Ok(lines.into_iter().map(Spanned::into_inner).collect())
}

fn check_count(line: &CountLine) -> Result<(), String> {
    let ways = [&line.before, &line.after, &line.each];
    let ways = ways.into_iter().flatten().count();
    let message = match (ways, &line.each) {
        (1, None) if line.success.is_some() => "`success` is about lines that count by `each`",
        (1, _) if line.then.is_some() && line.before.is_none() => "`then` follows the text of `before`",
        (1, _) => return Ok(()),
        _ => "a line counts in one way: by `before`, `after` or `each`",
    };
    Err(message.to_owned())
}

fn check_pattern_at(
    place: &str,
    pattern: Option<Spanned<String>>,
    group: Option<&str>,
) -> Result<Option<String>, Mistake> {
    let Some(pattern) = pattern else { return Ok(None) };
    check_pattern(place, pattern.get_ref(), group).map_err(|error| (pattern.span(), error.to_string()))?;
    Ok(Some(pattern.into_inner()))
}

/// A metric by the way in which it is found.
enum MetricForm {
    Line(MetricLine),
    Pattern(MetricSpec),
}

impl MetricTable {
    fn sort(self, span: &Range<usize>) -> Result<MetricForm, Mistake> {
        let Self { name, before, with, percent, pattern, reduce, unit, scale } = self;
        let is_plain = percent || !with.as_slice().is_empty();
        let needs_pattern = reduce.is_some() || unit.is_some() || scale.is_some();
        let message = match (before, pattern) {
            (None, Some(pattern)) if !is_plain => {
                let reduce = reduce.unwrap_or(Reduce::Last);
                let group = (reduce != Reduce::Count).then_some("value");
                let place = format!("[[metric]] {name}");
                let pattern = check_pattern_at(&place, Some(pattern), group)?.unwrap_or_default();
                let source = MetricSource::Log { pattern };
                return Ok(MetricForm::Pattern(MetricSpec { name, source, reduce, unit, scale }));
            }
            (Some(before), None) if !needs_pattern => {
                return Ok(MetricForm::Line(MetricLine { name, before, with, percent }));
            }
            (Some(_), None) => "`reduce`, `unit` and `scale` are of a metric with a `pattern`",
            (_, Some(_)) => {
                "`before`, `with` and `percent` are of a plain text: keep them, or `pattern` with `scale`"
            }
            (None, None) => "it needs the text `before` the value, or a `pattern` with a group `(?<value>…)`",
        };
        Err((span.clone(), format!("[[metric]] {name}: {message}")))
    }
}
