//! `sweepdeck scan`: what sweepdeck reads from a log that it did not launch, and from the files written beside it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::error::CliError;
use super::exit_code::Exit;
use super::output;
use super::scan_args::ScanArgs;
use super::scan_plan::ScanPlan;
use crate::model::printable::printable_json;
use crate::progress::built_in::BuiltInRules;
use crate::progress::encoding::Decoder;
use crate::progress::reader::LogReader;
use crate::progress::reading::Reading;
use crate::progress::rules::LogRules;
use crate::progress::scan::Scan;
use crate::supervisor::results_of_attempt;

/// Large enough that reading costs nothing beside matching.
const CHUNK: usize = 1 << 20;

/// Prints what is read from the log and its files; patterns that did not do what they are there for are told.
pub fn run(args: &ScanArgs) -> Result<Exit, CliError> {
    let plan = ScanPlan::of(args)?;
    let rules = LogRules::compile(&plan.progress, &plan.metrics, &plan.rules)
        .and_then(|rules| rules.telling_values(&plan.values))
        .map_err(|error| CliError::usage(error.to_string()))?;
    let reading = read(&args.log, Arc::new(rules)).map_err(CliError::file("read", &args.log))?;
    for fault in &reading.pattern_faults {
        output::say(&fault.message);
    }
    let scan = if plan.results.is_empty() {
        Scan::of_log(reading)
    } else {
        let results = results_of_attempt::read(&plan.results, &plan.metrics, None);
        Scan::with_results(reading, results, &BuiltInRules::changed_by(&plan.rules))
    };
    if args.json {
        output::data(&printable_json(format!("{}\n", scan.json())))?;
    } else {
        output::text(&scan.text())?;
    }
    Ok(Exit::Done)
}

/// Reads a log in chunks.
pub fn read(path: &Path, rules: Arc<LogRules>) -> io::Result<Reading> {
    let mut log = File::open(path)?;
    let mut reader = LogReader::new(rules);
    // A terminal carries UTF-8; a file may come from anywhere.
    let mut decoder = Decoder::default();
    let mut chunk = vec![0; CHUNK];
    // Nobody follows the marks of a finished log.
    let mut marks = Vec::new();
    loop {
        match log.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => reader.feed(decoder.feed(&chunk[..length]), &mut marks),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        marks.clear();
    }
    reader.feed(decoder.finish(), &mut marks);
    reader.finish(&mut marks);
    Ok(reader.reading().clone())
}
