//! The examples in the file of a format, held against what the format reads of them.

use std::sync::Arc;

use super::reading::ScanVerdict;
use crate::model::sweep::plan::ProgressSpec;
use crate::progress::formats::file::{Example, ExampleTable, FormatFile, FormatFileError};
use crate::progress::patterns::error::PatternError;
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;
use crate::progress::reading::LogSummary;

/// Fails on the first example of which something else is read than it says.
pub fn check_examples(name: &str, file: &FormatFile) -> Result<(), FormatFileError> {
    let Some(first) = file.examples.first() else { return Ok(()) };
    let rules = rules_of(name, file)
        .map_err(|error| FormatFileError { line: first.line, message: error.to_string() })?;
    let rules = Arc::new(rules);
    file.examples.iter().try_for_each(|example| check_example(example, Arc::clone(&rules)))
}

fn rules_of(name: &str, file: &FormatFile) -> Result<LogRules, PatternError> {
    let (mut progress, mut metrics) = (ProgressSpec::of_preset(name), Vec::new());
    progress.freeze(&file.format, &mut metrics);
    LogRules::compile(&progress, &metrics, &[])
}

/// Reads the example with these rules, and compares.
pub fn check_example(example: &Example, rules: Arc<LogRules>) -> Result<(), FormatFileError> {
    let mut reader = LogReader::new(rules);
    let log = &example.expected.log;
    reader.feed(log.as_bytes(), &mut Vec::new());
    // An example is a whole piece: its last number has lost no digits.
    reader.feed(if log.ends_with('\n') { b"" } else { b"\n" }, &mut Vec::new());
    reader.finish(&mut Vec::new());
    match first_difference(&example.expected, reader.reading()) {
        None => Ok(()),
        Some((what, expected, read)) => {
            let message = format!("this example says {what} {expected}, but the format reads {read}");
            Err(FormatFileError { line: example.line, message })
        }
    }
}

fn first_difference(expected: &ExampleTable, reading: &LogSummary) -> Option<(String, String, String)> {
    let progress = reading.progress.map(|progress| match progress.total {
        Some(total) => format!("{}/{total}", progress.done),
        None => progress.done.to_string(),
    });
    let differs = |what: &str, expected: &Option<String>, read: Option<String>| {
        let expected = expected.clone().filter(|expected| read.as_ref() != Some(expected))?;
        Some((what.to_owned(), expected, read.unwrap_or_else(|| "nothing".to_owned())))
    };
    let verdict = ScanVerdict::of(reading).as_str().to_owned();
    let metric = |(name, expected): (&String, &f64)| {
        let read = reading.metrics.get(name);
        let text = read.map_or_else(|| "nothing".to_owned(), f64::to_string);
        (read != Some(expected)).then(|| (name.clone(), expected.to_string(), text))
    };
    differs("progress", &expected.progress, progress)
        .or_else(|| differs("verdict", &expected.verdict, Some(verdict)))
        .or_else(|| expected.metrics.iter().find_map(metric))
}
